/** What is typed into the forms of servers and services, as the API wants it. */
import type { Schemas } from '$api/client';
import type { ToolServer, HttpTool } from './toolSettings.svelte';

export interface ServerFields {
  slug: string;
  kind: 'http' | 'stdio';
  url: string;
  command: string;
  given: string;
  secrets: string;
  /** Take away the secrets that are stored. */
  drop: boolean;
}

export interface ServiceFields {
  slug: string;
  document: string;
  address: string;
  auth: Schemas['Auth'];
  name: string;
  secret: string;
}

/** What the form of a server begins with. */
export const serverFields = (server: ToolServer | null): ServerFields => ({
  slug: server?.slug ?? '',
  kind: server?.transport ?? 'http',
  url: server?.url ?? '',
  command: server?.command ?? '',
  given: (server?.arguments ?? []).join('\n'),
  secrets: '',
  drop: false,
});

/** What the form of a service begins with. */
export const serviceFields = (service: HttpTool | null): ServiceFields => ({
  slug: service?.slug ?? '',
  document: '',
  address: service?.base_url ?? '',
  auth: service?.auth ?? 'none',
  name: service?.auth_name ?? '',
  secret: '',
});

/** A new server; null where a line of secrets cannot be read. */
export function newServerRequest(entry: ServerFields): Schemas['AddToolServer'] | null {
  const secrets = parseSecrets(entry.secrets);
  return secrets && { slug: entry.slug.trim(), ...connectionFields(entry), secrets, enabled: true };
}

/** What is new about a server; null where a line of secrets cannot be read. */
export function serverChangeRequest(
  entry: ServerFields,
  server: ToolServer,
): Partial<Schemas['ChangeToolServer']> | null {
  const secrets = entry.drop ? {} : parseSecrets(entry.secrets);
  if (!secrets) return null;
  const told = entry.drop || Object.keys(secrets).length > 0;
  return {
    ...changedValues(connectionFields(serverFields(server)), connectionFields(entry)),
    ...(told && { secrets }),
  };
}

export const newServiceRequest = (entry: ServiceFields): Schemas['AddHttpTool'] => ({
  slug: entry.slug.trim(),
  document: entry.document,
  ...authFields(entry),
  secret: entry.auth === 'none' ? '' : entry.secret.trim(),
  enabled: true,
});

/** What is new about a service. */
export function serviceChangeRequest(
  entry: ServiceFields,
  service: HttpTool,
): Partial<Schemas['ChangeHttpTool']> {
  const secret = entry.auth === 'none' ? '' : entry.secret.trim();
  return {
    ...changedValues(authFields(serviceFields(service)), authFields(entry)),
    ...(entry.document.trim() && { document: entry.document }),
    ...(secret && { secret }),
  };
}

/** Whether a key goes where a name is needed: of a header, or of a parameter. */
export const needsAuthName = (auth: Schemas['Auth']): boolean => auth === 'header' || auth === 'query';

/** The lines that say something. */
export const nonEmptyLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Secrets written as NAME=value or `Name: value`; null where a line is neither. */
export function parseSecrets(text: string): Record<string, string> | null {
  const pairs = nonEmptyLines(text).map((line) => /^([^=:\s]+)\s*[=:]\s*(.+)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

const connectionFields = ({ kind, url, command, given }: ServerFields) =>
  kind === 'http'
    ? { url: url.trim(), command: '', arguments: [] }
    : { url: '', command: command.trim(), arguments: nonEmptyLines(given) };

const authFields = ({ address, auth, name }: ServiceFields) => ({
  base_url: address.trim(),
  auth,
  auth_name: needsAuthName(auth) ? name.trim() : '',
});

/** What is left alone is not sent, so that the audit log names only what was changed. */
const changedValues = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof T]),
    ),
  ) as Partial<T>;

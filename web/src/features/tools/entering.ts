/** What is typed into the forms of servers and services, as the API wants it. */
import type { Schemas } from '$api/client';
import type { Server, Service } from './workshop.svelte';

export interface ServerEntry {
  slug: string;
  kind: 'http' | 'stdio';
  url: string;
  command: string;
  given: string;
  secrets: string;
  /** Take away the secrets that are stored. */
  drop: boolean;
}

export interface ServiceEntry {
  slug: string;
  document: string;
  address: string;
  auth: Schemas['Auth'];
  name: string;
  secret: string;
}

/** What the form of a server begins with. */
export const serverEntry = (server: Server | null): ServerEntry => ({
  slug: server?.slug ?? '',
  kind: server?.transport ?? 'http',
  url: server?.url ?? '',
  command: server?.command ?? '',
  given: (server?.arguments ?? []).join('\n'),
  secrets: '',
  drop: false,
});

/** What the form of a service begins with. */
export const serviceEntry = (service: Service | null): ServiceEntry => ({
  slug: service?.slug ?? '',
  document: '',
  address: service?.base_url ?? '',
  auth: service?.auth ?? 'none',
  name: service?.auth_name ?? '',
  secret: '',
});

/** A new server; null where a line of secrets cannot be read. */
export function newServer(entry: ServerEntry): Schemas['AddToolServer'] | null {
  const secrets = secretsOf(entry.secrets);
  return secrets && { slug: entry.slug.trim(), ...reached(entry), secrets, enabled: true };
}

/** What is new about a server; null where a line of secrets cannot be read. */
export function serverChange(
  entry: ServerEntry,
  server: Server,
): Partial<Schemas['ChangeToolServer']> | null {
  const secrets = entry.drop ? {} : secretsOf(entry.secrets);
  if (!secrets) return null;
  const told = entry.drop || Object.keys(secrets).length > 0;
  return { ...differing(reached(serverEntry(server)), reached(entry)), ...(told && { secrets }) };
}

export const newService = (entry: ServiceEntry): Schemas['AddHttpTool'] => ({
  slug: entry.slug.trim(),
  document: entry.document,
  ...asked(entry),
  secret: entry.auth === 'none' ? '' : entry.secret.trim(),
  enabled: true,
});

/** What is new about a service. */
export function serviceChange(entry: ServiceEntry, service: Service): Partial<Schemas['ChangeHttpTool']> {
  const secret = entry.auth === 'none' ? '' : entry.secret.trim();
  return {
    ...differing(asked(serviceEntry(service)), asked(entry)),
    ...(entry.document.trim() && { document: entry.document }),
    ...(secret && { secret }),
  };
}

/** Whether a key goes where a name is needed: of a header, or of a parameter. */
export const isNamed = (auth: Schemas['Auth']): boolean => auth === 'header' || auth === 'query';

/** The lines that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Secrets written as NAME=value or `Name: value`; null where a line is neither. */
export function secretsOf(text: string): Record<string, string> | null {
  const pairs = linesOf(text).map((line) => /^([^=:\s]+)\s*[=:]\s*(.+)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

const reached = ({ kind, url, command, given }: ServerEntry) =>
  kind === 'http'
    ? { url: url.trim(), command: '', arguments: [] }
    : { url: '', command: command.trim(), arguments: linesOf(given) };

const asked = ({ address, auth, name }: ServiceEntry) => ({
  base_url: address.trim(),
  auth,
  auth_name: isNamed(auth) ? name.trim() : '',
});

/** What is left alone is not sent, so that the audit log names only what was changed. */
const differing = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof T]),
    ),
  ) as Partial<T>;

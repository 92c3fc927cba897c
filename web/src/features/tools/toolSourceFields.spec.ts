import { expect, it } from 'vitest';
import {
  nonEmptyLines,
  newServerRequest,
  newServiceRequest,
  parseSecrets,
  serverChangeRequest,
  serverFields,
  serviceChangeRequest,
  serviceFields,
} from './toolSourceFields';
import type { ToolServer, HttpTool } from './toolSettings.svelte';

const wiki = {
  id: 'tsv_1',
  slug: 'wiki',
  transport: 'stdio',
  command: 'uvx',
  arguments: ['--root', ' a\nb '],
  url: '',
  secret_names: ['TOKEN'],
} as ToolServer;
const notes = {
  id: 'htl_1',
  slug: 'notes',
  base_url: 'https://notes.example.org',
  auth: 'header',
  auth_name: 'X-Key',
  has_secret: true,
} as HttpTool;

it('reads arguments line by line', () => {
  expect(nonEmptyLines(' --root \n\n/srv/my notes\n')).toEqual(['--root', '/srv/my notes']);
});

it('reads secrets as variables and as headers', () => {
  expect(parseSecrets('TOKEN=a=b\nAuthorization: Bearer x')).toEqual({
    TOKEN: 'a=b',
    Authorization: 'Bearer x',
  });
  expect(parseSecrets('')).toEqual({});
  expect(parseSecrets('TOKEN')).toBeNull();
});

it('adds what was entered', () => {
  const server = {
    ...serverFields(null),
    slug: ' wiki ',
    url: ' https://w.example.org ',
    command: 'left over',
  };
  expect(newServerRequest(server)).toEqual({
    slug: 'wiki',
    url: 'https://w.example.org',
    command: '',
    arguments: [],
    secrets: {},
    enabled: true,
  });
  expect(newServerRequest({ ...server, secrets: 'TOKEN' })).toBeNull();
  const service = { ...serviceFields(null), slug: 'notes', document: '{}', name: 'left over', secret: 'too' };
  expect(newServiceRequest(service)).toMatchObject({ auth: 'none', auth_name: '', secret: '' });
});

it('changes nothing that was left alone', () => {
  expect(serverChangeRequest(serverFields(wiki), wiki)).toEqual({});
  expect(serviceChangeRequest(serviceFields(notes), notes)).toEqual({});
});

it('changes how a server is reached, and all of its secrets or none', () => {
  const entry = serverFields(wiki);
  expect(serverChangeRequest({ ...entry, command: 'npx' }, wiki)).toEqual({ command: 'npx' });
  expect(serverChangeRequest({ ...entry, kind: 'http', url: 'https://w.example.org' }, wiki)).toEqual({
    url: 'https://w.example.org',
    command: '',
    arguments: [],
  });
  expect(serverChangeRequest({ ...entry, secrets: 'KEY=x' }, wiki)).toEqual({ secrets: { KEY: 'x' } });
  expect(serverChangeRequest({ ...entry, secrets: 'KEY=x', drop: true }, wiki)).toEqual({ secrets: {} });
  expect(serverChangeRequest({ ...entry, secrets: 'KEY' }, wiki)).toBeNull();
});

it('changes a service and keeps its key unless one is entered', () => {
  const entry = serviceFields(notes);
  expect(serviceChangeRequest({ ...entry, document: '{}', secret: ' new ' }, notes)).toEqual({
    document: '{}',
    secret: 'new',
  });
  expect(serviceChangeRequest({ ...entry, auth: 'none', secret: 'left over' }, notes)).toEqual({
    auth: 'none',
    auth_name: '',
  });
});

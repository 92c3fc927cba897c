import { expect, it } from 'vitest';
import {
  linesOf,
  newServer,
  newService,
  secretsOf,
  serverChange,
  serverEntry,
  serviceChange,
  serviceEntry,
} from './entering';
import type { Server, Service } from './workshop.svelte';

const wiki = {
  id: 'tsv_1',
  slug: 'wiki',
  transport: 'stdio',
  command: 'uvx',
  arguments: ['--root', ' a\nb '],
  url: '',
  secret_names: ['TOKEN'],
} as Server;
const notes = {
  id: 'htl_1',
  slug: 'notes',
  base_url: 'https://notes.example.org',
  auth: 'header',
  auth_name: 'X-Key',
  has_secret: true,
} as Service;

it('reads arguments line by line', () => {
  expect(linesOf(' --root \n\n/srv/my notes\n')).toEqual(['--root', '/srv/my notes']);
});

it('reads secrets as variables and as headers', () => {
  expect(secretsOf('TOKEN=a=b\nAuthorization: Bearer x')).toEqual({
    TOKEN: 'a=b',
    Authorization: 'Bearer x',
  });
  expect(secretsOf('')).toEqual({});
  expect(secretsOf('TOKEN')).toBeNull();
});

it('adds what was entered', () => {
  const server = {
    ...serverEntry(null),
    slug: ' wiki ',
    url: ' https://w.example.org ',
    command: 'left over',
  };
  expect(newServer(server)).toEqual({
    slug: 'wiki',
    url: 'https://w.example.org',
    command: '',
    arguments: [],
    secrets: {},
    enabled: true,
  });
  expect(newServer({ ...server, secrets: 'TOKEN' })).toBeNull();
  const service = { ...serviceEntry(null), slug: 'notes', document: '{}', name: 'left over', secret: 'too' };
  expect(newService(service)).toMatchObject({ auth: 'none', auth_name: '', secret: '' });
});

it('changes nothing that was left alone', () => {
  expect(serverChange(serverEntry(wiki), wiki)).toEqual({});
  expect(serviceChange(serviceEntry(notes), notes)).toEqual({});
});

it('changes how a server is reached, and all of its secrets or none', () => {
  const entry = serverEntry(wiki);
  expect(serverChange({ ...entry, command: 'npx' }, wiki)).toEqual({ command: 'npx' });
  expect(serverChange({ ...entry, kind: 'http', url: 'https://w.example.org' }, wiki)).toEqual({
    url: 'https://w.example.org',
    command: '',
    arguments: [],
  });
  expect(serverChange({ ...entry, secrets: 'KEY=x' }, wiki)).toEqual({ secrets: { KEY: 'x' } });
  expect(serverChange({ ...entry, secrets: 'KEY=x', drop: true }, wiki)).toEqual({ secrets: {} });
  expect(serverChange({ ...entry, secrets: 'KEY' }, wiki)).toBeNull();
});

it('changes a service and keeps its key unless one is entered', () => {
  const entry = serviceEntry(notes);
  expect(serviceChange({ ...entry, document: '{}', secret: ' new ' }, notes)).toEqual({
    document: '{}',
    secret: 'new',
  });
  expect(serviceChange({ ...entry, auth: 'none', secret: 'left over' }, notes)).toEqual({
    auth: 'none',
    auth_name: '',
  });
});

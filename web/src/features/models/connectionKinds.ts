/** The kinds of connection one can add, and what each needs. */
import type { Schemas } from '$api/client';

export type ConnectionKind = Schemas['ConnectionKind'];

interface ConnectionKindInfo {
  readonly kind: ConnectionKind;
  readonly label: string;
  /** Where it is by default; empty where it has to be said. */
  readonly address: string;
  readonly key: 'needed' | 'optional' | 'none';
  /** Where to get a key. */
  readonly keys: string;
}

export const CONNECTION_KINDS: readonly ConnectionKindInfo[] = [
  {
    kind: 'openai',
    label: 'OpenAI',
    address: 'https://api.openai.com/v1',
    key: 'needed',
    keys: 'platform.openai.com',
  },
  {
    kind: 'anthropic',
    label: 'Anthropic',
    address: 'https://api.anthropic.com',
    key: 'needed',
    keys: 'console.anthropic.com',
  },
  {
    kind: 'google',
    label: 'Google Gemini',
    address: 'https://generativelanguage.googleapis.com',
    key: 'needed',
    keys: 'aistudio.google.com',
  },
  { kind: 'xai', label: 'xAI', address: 'https://api.x.ai/v1', key: 'needed', keys: 'console.x.ai' },
  {
    kind: 'openrouter',
    label: 'OpenRouter',
    address: 'https://openrouter.ai/api/v1',
    key: 'needed',
    keys: 'openrouter.ai/keys',
  },
  { kind: 'ollama', label: 'Ollama', address: 'http://127.0.0.1:11434/v1', key: 'none', keys: '' },
  { kind: 'openai-compatible', label: 'Another, OpenAI-compatible', address: '', key: 'optional', keys: '' },
];

export const connectionKindInfo = (kind: ConnectionKind): ConnectionKindInfo =>
  CONNECTION_KINDS.find((info) => info.kind === kind) as ConnectionKindInfo;

/** A short name from what a person typed: what the server takes, or empty. */
export function slugOf(typed: string): string {
  return typed
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, 40);
}

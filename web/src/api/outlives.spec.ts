import { describe, expect, it } from 'vitest';
import { KEEPALIVE_MAX_BYTES, isKeptAlive } from './outlives';

describe('the browser keeps a request alive', () => {
  it('when it deletes something', () => {
    expect(isKeptAlive('/api/projects/prj_1', { method: 'DELETE' })).toBe(true);
    expect(isKeptAlive('/api/conversations/cnv_1/deletion', { method: 'POST' })).toBe(true);
    const body = JSON.stringify({ file_ids: ['fil_1'], folders: [] });
    expect(isKeptAlive('/api/projects/prj_1/files/deletion', { method: 'POST', body })).toBe(true);
  });

  it('and not when it does something else', () => {
    expect(isKeptAlive('/api/me/deletion', { method: 'GET' })).toBe(false);
    expect(isKeptAlive('/api/deletions/del_1/restore', { method: 'POST' })).toBe(false);
    expect(isKeptAlive('/api/turn', { method: 'POST', body: '{}' })).toBe(false);
  });

  it('and not when the browser would refuse it for its size', () => {
    const post = (body: string) =>
      isKeptAlive('/api/projects/prj_1/files/deletion', { method: 'POST', body });
    expect(post('a'.repeat(KEEPALIVE_MAX_BYTES))).toBe(true);
    expect(post('a'.repeat(KEEPALIVE_MAX_BYTES + 1))).toBe(false);
    expect(post('ä'.repeat(KEEPALIVE_MAX_BYTES / 2 + 1))).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { KEEPALIVE_MAX_BYTES, needsKeepalive } from './keepalive';

describe('the browser keeps a request alive', () => {
  it('when it deletes something', () => {
    expect(needsKeepalive('/api/projects/prj_1', { method: 'DELETE' })).toBe(true);
    expect(needsKeepalive('/api/conversations/cnv_1/deletion', { method: 'POST' })).toBe(true);
    const body = JSON.stringify({ file_ids: ['fil_1'], folders: [] });
    expect(needsKeepalive('/api/projects/prj_1/files/deletion', { method: 'POST', body })).toBe(true);
  });

  it('when it changes what the page shows as changed already', () => {
    expect(needsKeepalive('/api/tasks/tsk_1', { method: 'PUT', body: '{}' })).toBe(true);
    expect(needsKeepalive('/api/conversations/cnv_1', { method: 'PATCH', body: '{}' })).toBe(true);
    expect(needsKeepalive('/api/tasks/tsk_1/move', { method: 'POST', body: '{}' })).toBe(true);
  });

  it('and not when it does something else', () => {
    expect(needsKeepalive('/api/me/deletion', { method: 'GET' })).toBe(false);
    expect(needsKeepalive('/api/deletions/del_1/restore', { method: 'POST' })).toBe(false);
    expect(needsKeepalive('/api/turn', { method: 'POST', body: '{}' })).toBe(false);
  });

  it('and not when the browser would refuse it for its size', () => {
    const post = (body: string) =>
      needsKeepalive('/api/projects/prj_1/files/deletion', { method: 'POST', body });
    expect(post('a'.repeat(KEEPALIVE_MAX_BYTES))).toBe(true);
    expect(post('a'.repeat(KEEPALIVE_MAX_BYTES + 1))).toBe(false);
    expect(post('ä'.repeat(KEEPALIVE_MAX_BYTES / 2 + 1))).toBe(false);
  });
});

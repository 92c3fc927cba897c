import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toasts } from './toasts.svelte';

const texts = (): string[] => toasts.list.map(({ text }) => text);

describe('toasts', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  it('keep what can be undone for its time, however many there are', () => {
    for (let count = 0; count < 5; count += 1) toasts.show('Deleted.', { label: 'Undo', act: vi.fn() });
    for (const text of ['a', 'b', 'c', 'd']) toasts.show(text);
    expect(texts()).toEqual([...Array(5).fill('Deleted.'), 'b', 'c', 'd']);
    vi.advanceTimersByTime(10_000);
    expect(texts()).toEqual([]);
  });

  it('say the same once, and are over with what they told of', () => {
    const offline = Object.assign(new Error('Offline'), { isTransient: true });
    for (const error of [offline, offline, new Error('Refused')]) toasts.showError(error);
    expect(texts()).toEqual(['Offline', 'Refused']);
    toasts.dismissTransient();
    expect(texts()).toEqual(['Refused']);
  });
});

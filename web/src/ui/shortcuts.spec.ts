// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { matchesCombination, keyLabels } from './keyCombinations';
import { Shortcuts } from './shortcuts.svelte';

function press(key: string, more: KeyboardEventInit = {}, on: HTMLElement = document.body): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event;
}

describe('key combinations', () => {
  const keys = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent('keydown', { key, ...more });

  it('Mod is Ctrl here and ⌘ there, and never both', () => {
    expect(matchesCombination('Mod+K', keys('k', { ctrlKey: true }), false)).toBe(true);
    expect(matchesCombination('Mod+K', keys('k', { ctrlKey: true }), true)).toBe(false);
    expect(matchesCombination('Mod+K', keys('k', { metaKey: true }), true)).toBe(true);
    expect(matchesCombination('Mod+K', keys('k', { metaKey: true, ctrlKey: true }), true)).toBe(false);
  });

  it('Shift counts for letters', () => {
    expect(matchesCombination('Mod+Shift+O', keys('O', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matchesCombination('Mod+Shift+O', keys('o', { ctrlKey: true }), false)).toBe(false);
    expect(matchesCombination('Mod+B', keys('B', { ctrlKey: true, shiftKey: true }), false)).toBe(false);
  });

  it('a sign is a sign however the keyboard makes it', () => {
    expect(matchesCombination('?', keys('?', { shiftKey: true }), false)).toBe(true);
    expect(matchesCombination('?', keys('?'), false)).toBe(true);
    expect(matchesCombination('?', keys('?', { altKey: true }), false)).toBe(false);
  });

  it('are printed as on the keyboard', () => {
    expect(keyLabels('Mod+Shift+O', false)).toEqual(['Ctrl', 'Shift', 'O']);
    expect(keyLabels('Mod+Shift+O', true)).toEqual(['⌘', '⇧', 'O']);
  });
});

describe('the registry', () => {
  let shortcuts: Shortcuts;

  beforeEach(() => {
    document.body.replaceChildren();
    localStorage.clear();
    shortcuts = new Shortcuts('Linux x86_64');
    const handle = (event: KeyboardEvent) => shortcuts.handle(event);
    document.body.addEventListener('keydown', handle, { once: true });
  });

  it('acts and takes the key', () => {
    const act = vi.fn();
    shortcuts.add({ keys: 'Mod+K', label: 'Search', act });
    expect(press('k', { ctrlKey: true }).defaultPrevented).toBe(true);
    expect(act).toHaveBeenCalledOnce();
  });

  it('leaves single signs to those who type', () => {
    const act = vi.fn();
    shortcuts.add({ keys: '?', label: 'Help', act });
    const field = document.body.appendChild(document.createElement('textarea'));
    expect(press('?', {}, field).defaultPrevented).toBe(false);
    expect(act).not.toHaveBeenCalled();
  });

  it('combinations work while typing', () => {
    const act = vi.fn();
    shortcuts.add({ keys: 'Mod+K', label: 'Search', act });
    press('k', { ctrlKey: true }, document.body.appendChild(document.createElement('input')));
    expect(act).toHaveBeenCalledOnce();
  });

  it('single signs can be switched off, Escape cannot', () => {
    const [help, escape] = [vi.fn(), vi.fn()];
    shortcuts.add({ keys: '?', label: 'Help', act: help }, { keys: 'Escape', label: 'Close', act: escape });
    shortcuts.singleKeys = false;
    shortcuts.handle(new KeyboardEvent('keydown', { key: '?' }));
    shortcuts.handle(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(help).not.toHaveBeenCalled();
    expect(escape).toHaveBeenCalledOnce();
  });

  it('the latest comes first, and one that has nothing to do lets the next', () => {
    const first = vi.fn();
    shortcuts.add({ keys: 'Escape', label: 'Close', act: first });
    shortcuts.add({ keys: 'Escape', label: 'Clear', act: () => false });
    expect(press('Escape').defaultPrevented).toBe(true);
    expect(first).toHaveBeenCalledOnce();
  });

  it('forgets what was taken back, and ignores keys that someone used', () => {
    const act = vi.fn();
    const takeBack = shortcuts.add({ keys: 'Mod+B', label: 'Sidebar', act });
    takeBack();
    press('b', { ctrlKey: true });
    const used = new KeyboardEvent('keydown', { key: 'b', ctrlKey: true, cancelable: true });
    shortcuts.add({ keys: 'Mod+B', label: 'Sidebar', act });
    used.preventDefault();
    shortcuts.handle(used);
    expect(act).not.toHaveBeenCalled();
  });
});

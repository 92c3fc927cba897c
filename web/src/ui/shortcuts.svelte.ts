/** The keyboard shortcuts that work just now: those who can do something register it here. */
import { isApplePlatform, matchesCombination, keyLabels } from './keyCombinations';

export interface Shortcut {
  /** Such as `Mod+K`. */
  readonly keys: string;
  readonly label: string;
  /** Do it; false when there was nothing to do, so that the key keeps its usual meaning. */
  readonly act: () => unknown;
}

const SINGLE_KEYS_STORAGE_KEY = 'tertulia.single-keys';

export class Shortcuts {
  list = $state.raw<readonly Shortcut[]>([]);
  #singleKeys = $state(globalThis.localStorage?.getItem(SINGLE_KEYS_STORAGE_KEY) !== 'off');
  readonly #apple: boolean;

  constructor(platform: string) {
    this.#apple = isApplePlatform(platform);
  }

  /** Whether shortcuts of one sign work: who speaks to their computer may want them off. */
  get singleKeys(): boolean {
    return this.#singleKeys;
  }

  set singleKeys(on: boolean) {
    this.#singleKeys = on;
    localStorage.setItem(SINGLE_KEYS_STORAGE_KEY, on ? 'on' : 'off');
  }

  /** Register shortcuts until the returned function is called. The latest registered comes first. */
  add(...added: Shortcut[]): () => void {
    this.list = [...added, ...this.list];
    return () => (this.list = this.list.filter((shortcut) => !added.includes(shortcut)));
  }

  /** Do what a key is for, unless it is being typed somewhere or someone has dealt with it. */
  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    for (const shortcut of this.list) {
      if (!matchesCombination(shortcut.keys, event, this.#apple) || !this.#mayAct(shortcut, event)) continue;
      if (shortcut.act() === false) continue;
      event.preventDefault();
      return;
    }
  }

  keyLabels(keys: string): string[] {
    return keyLabels(keys, this.#apple);
  }

  #mayAct({ keys }: Shortcut, event: KeyboardEvent): boolean {
    if (/Mod|Alt/.test(keys)) return true;
    if (isTextInput(event.target)) return false;
    return keys.length > 1 || this.#singleKeys;
  }
}

/** Return whether keys pressed here are text. */
export function isTextInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName)) return true;
  const buttons = ['button', 'checkbox', 'radio', 'submit', 'reset', 'range', 'color', 'file'];
  return target instanceof HTMLInputElement && !buttons.includes(target.type);
}

export const shortcuts = new Shortcuts(globalThis.navigator?.platform ?? '');

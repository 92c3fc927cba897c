/** Key combinations: `Mod` is ⌘ on Apple's keyboards and Ctrl elsewhere. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

const PRINTED: Record<string, string> = {
  Escape: 'Esc',
  Enter: '↵',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Delete: 'Del',
};
const SIGNS: Record<string, string> = { ...PRINTED, Mod: '⌘', Shift: '⇧', Alt: '⌥' };
const NAMES: Record<string, string> = { ...PRINTED, Mod: 'Ctrl' };

/** Whether this keyboard has a ⌘. */
export function isApplePlatform(platform: string): boolean {
  return /mac|iphone|ipad/i.test(platform);
}

/** Return whether the keys that are pressed are this combination, such as `Mod+Shift+O`. */
export function matchesCombination(combination: string, press: KeyPress, apple: boolean): boolean {
  const parts = combination.split('+');
  const key = parts.at(-1) ?? '';
  const wants = (name: string) => parts.slice(0, -1).includes(name);
  const [mod, other] = apple ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  // A sign such as `?` may need Shift or not, as the keyboard has it.
  const shiftFits = isLetter(key) || key.length > 1 ? press.shiftKey === wants('Shift') : true;
  return (
    press.key.toLowerCase() === key.toLowerCase() &&
    mod === wants('Mod') &&
    !other &&
    press.altKey === wants('Alt') &&
    shiftFits
  );
}

/** Return the keys of a combination as they are printed on the keyboard. */
export function keyLabels(combination: string, apple: boolean): string[] {
  const names = apple ? SIGNS : NAMES;
  return combination.split('+').map((part) => names[part] ?? part);
}

const isLetter = (key: string): boolean => /^\p{L}$/u.test(key);

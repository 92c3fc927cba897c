import { describe, expect, it } from 'vitest';
import { Highlighter, type HighlightedLine } from './highlight';
import { fileNameOf, languageOf } from './languages';

const CODE = 'def f():\n    """A text\n    over lines."""\n    return 1\n\nprint(f())';
const plain = (lines: readonly HighlightedLine[] | null): string =>
  (lines ?? []).map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('code in colours', () => {
  it('loses no character, at once or as it grows, and ends in the same colours', async () => {
    const whole = await new Highlighter('python').highlight(CODE, false);
    expect(plain(whole)).toBe(CODE);
    const growing = new Highlighter('python');
    for (let end = 1; end < CODE.length; end += 7) {
      expect(plain(await growing.highlight(CODE.slice(0, end), true)).trimEnd()).toBe(
        CODE.slice(0, end).trimEnd(),
      );
    }
    const inPieces = await growing.highlight(`${CODE}\n`, true);
    expect(inPieces).toEqual(whole);
  });

  it('knows a language by its other names, and no word of JavaScript itself', () => {
    expect(languageOf('TS')).toBe('typescript');
    expect(languageOf('constructor')).toBeNull();
    expect(fileNameOf('py')).toBe('code.py');
    expect(fileNameOf('')).toBe('code.txt');
  });
});

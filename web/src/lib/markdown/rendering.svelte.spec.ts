// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import CodeBlock from './CodeBlock.svelte';
import { highlightedLines, Highlighter, type HighlightedLine } from './highlight';
import Markdown from './Markdown.svelte';
import type { References } from './references';

// jsdom has no screen that could be dark.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => new EventTarget()));

// In jsdom nothing has a place: everything is in sight.
class EverythingInSight {
  constructor(readonly tell: (entries: { isIntersecting: boolean; target: Element }[]) => void) {}
  observe(target: Element): void {
    queueMicrotask(() => this.tell([{ isIntersecting: true, target }]));
  }
  unobserve(): void {
    // Each is told of once.
  }
}
vi.stubGlobal('IntersectionObserver', EverythingInSight);

const sources = (): References => new Map([[1, { href: '/projects/p/files/f', label: 'Source 1' }]]);
const FORMULAS = 'Euler [1]: $e^{i\\pi} = -1$ and\n\n$$\n\\int_0^1 x\n$$\n\nDone [1].';
let drawn: Record<string, unknown> | undefined;

// What follows waits for drawing alone, not for libraries that are fetched when first needed.
beforeAll(async () => {
  await Promise.all([
    import('katex'),
    import('katex/dist/katex.min.css'),
    new Highlighter('javascript').highlight('const a = 1', false),
  ]);
}, 60_000);

afterEach(async () => {
  if (drawn) await unmount(drawn);
  drawn = undefined;
  document.body.replaceChildren();
});

const formulas = (): (string | null)[] =>
  [...document.querySelectorAll('annotation')].map(({ textContent }) => textContent);

describe('a reply', () => {
  it('keeps its formulas, whatever changes around them', async () => {
    const props = $state({ text: FORMULAS, streaming: true, references: new Map() as References });
    drawn = mount(Markdown, { target: document.body, props });
    const whole = ['e^{i\\pi} = -1', '\\int_0^1 x'];
    await vi.waitFor(() => expect(formulas()).toEqual(whole));

    const changes = [
      () => (props.references = sources()),
      () => (props.streaming = false),
      () => (props.references = sources()),
      () => (props.references = new Map()),
      () => (props.text += '\n\nAnd more.'),
    ];
    for (const change of changes) {
      change();
      flushSync();
      await vi.waitFor(() => expect(formulas()).toEqual(whole));
      expect(document.querySelectorAll('[data-reference]')).toHaveLength(props.references.size * 2);
    }
  });

  it('is not drawn anew when the same sources are named again', () => {
    const props = $state({ text: 'So it is [1].', references: sources() });
    drawn = mount(Markdown, { target: document.body, props });
    flushSync();
    const link = document.querySelector('[data-reference]');
    props.references = sources();
    flushSync();
    expect(document.querySelector('[data-reference]')).toBe(link);
  });
});

describe('a block of code', () => {
  const line = (...texts: string[]): HighlightedLine => texts.map((text) => ({ text, style: 'color:red' }));
  const spelled = (lines: readonly HighlightedLine[]): string =>
    lines.map((pieces) => pieces.map(({ text }) => text).join('')).join('\n');

  it('spells its code, whatever was coloured before', () => {
    const coloured = [[], [line('let ', 'a')], [line('let ', 'a'), line()], [line('x'), line('y', 'z')]];
    for (const code of ['', 'let a', 'let a = 1', 'let a\n', 'let a\n\nb', 'x\ny', 'x\nyz\n', 'other'])
      for (const lines of coloured) expect(spelled(highlightedLines(code, lines))).toBe(code);
  });

  it('shows another code at once, in a language that has no colours too', async () => {
    const props = $state({ code: 'const a = 1', language: 'js' });
    drawn = mount(CodeBlock, { target: document.body, props });
    const shown = () => document.querySelector('code');
    await vi.waitFor(() => expect(shown()?.querySelectorAll('[style]').length).toBeGreaterThan(1));
    Object.assign(props, { code: 'something else', language: 'unheard-of' });
    flushSync();
    expect(shown()?.textContent).toBe('something else');
  });
});

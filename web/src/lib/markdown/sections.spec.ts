import { describe, expect, it } from 'vitest';
import { isLongText, SECTION_MAX_CHARS, SECTION_MAX_LINES, SectionCutter } from './sections';

const many = (count: number, line: (number: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, number) => line(number)).join(between);
const TEXTS: Record<string, string> = {
  list: many(5_000, (number) => `- item ${number}`),
  'numbered list': many(5_000, (number) => `${number}. item\n\n   more of it`),
  paragraphs: many(5_000, (number) => `Paragraph ${number}`, '\n\n'),
  'one paragraph': 'word and word '.repeat(50_000),
  'one word': '😀'.repeat(50_000),
  'lines of one paragraph': many(5_000, () => 'no end in sight'),
  'nested lists': many(5_000, (number) => `${'  '.repeat(number % 7)}- item`),
  quotes: many(5_000, (number) => `${'>'.repeat(number % 40)} deep`),
};
const CODE = many(3_000, (number) => (number % 5 ? `    line ${number}` : ''));
const TABLE = `| a | b |\n|---|:-:|\n${many(3_000, (number) => `| ${number} | x |`)}`;

const sectionsOf = (text: string): readonly string[] => new SectionCutter().cut(text).sections;

describe('the sections of a long text', () => {
  it.each(Object.keys(TEXTS))('are small and together the text: %s', (name) => {
    const text = TEXTS[name] ?? '';
    const sections = sectionsOf(text);
    expect(sections.join('')).toBe(text);
    for (const section of sections) {
      expect(section.length).toBeLessThanOrEqual(2 * SECTION_MAX_CHARS);
      expect(section.split('\n').length).toBeLessThanOrEqual(SECTION_MAX_LINES + 2);
      expect(section.isWellFormed()).toBe(true);
    }
  });

  it.each([...Object.keys(TEXTS), 'code', 'table'])(
    'are the same in whatever pieces it comes: %s',
    (name) => {
      const text = { ...TEXTS, code: `\`\`\`js\n${CODE}\n\`\`\``, table: TABLE }[name] ?? '';
      const whole = sectionsOf(text);
      const sections = new SectionCutter();
      for (let end = 0; end < text.length; end += 7_919) sections.cut(text.slice(0, end));
      expect(sections.cut(text).sections).toEqual(whole);
    },
  );

  it('are blocks of code where code is cut', () => {
    const sections = sectionsOf(`Look:\n\n~~~~js\n${CODE}\n~~~~\n\nDone.`);
    const code = sections.join('\n').split('\n');
    expect(code.filter((line) => line === '~~~~js')).toHaveLength(sections.length);
    expect(code.filter((line) => line === '~~~~')).toHaveLength(sections.length);
    expect(code.filter((line) => line.startsWith('    line'))).toEqual(
      CODE.split('\n').filter((line) => line.startsWith('    line')),
    );
    expect(sections.at(-1)).toMatch(/\n~~~~\n\nDone\.$/);
  });

  it('are tables with their header where a table is cut', () => {
    const sections = sectionsOf(TABLE);
    expect(sections.length).toBeGreaterThan(10);
    for (const section of sections) expect(section).toMatch(/^\| a \| b \|\n\|---\|:-:\|\n\| \d/);
    expect(sections.join('').match(/^\| \d+ \| x \|$/gm)).toHaveLength(3_000);
  });

  it('know the links that are explained elsewhere, but not all of very many', () => {
    const text = `See [it][1].\n\n${TEXTS['list']}\n\n[1]: https://example.com\n`;
    expect(new SectionCutter().cut(text).definitions).toBe('[1]: https://example.com');
    const hostile = many(9_000, (number) => `[${number}]: https://example.com/${number}`);
    expect(new SectionCutter().cut(hostile).definitions.length).toBeLessThan(2_000);
  });

  it('end, whatever opens again and again', () => {
    for (const line of ['```x', '```', '~~~', '|-|', '| a |', '$$', '<div>', '- ```'])
      for (const section of sectionsOf(many(20_000, () => line)))
        expect(section.length).toBeLessThan(2 * SECTION_MAX_CHARS);
  });

  it('begin anew when the text is another one', () => {
    const sections = new SectionCutter();
    sections.cut(TEXTS['list'] ?? '');
    expect(sections.cut('short').sections).toEqual(['short']);
  });
});

it('a text is long by its characters or its lines', () => {
  expect(isLongText('word '.repeat(10_000))).toBe(false);
  expect(isLongText('word '.repeat(30_000))).toBe(true);
  expect(isLongText('a\n'.repeat(1_000))).toBe(false);
  expect(isLongText('a\n'.repeat(3_000))).toBe(true);
});

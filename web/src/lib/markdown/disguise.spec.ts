import { expect, it } from 'vitest';
import { disguiseFetches } from './disguise';

const FETCHES = /u;*r;*l|src|image-set|@import|\\[^n,"'\])]|\/\*|<[a-z][^<>]*=/i;

it.each([
  'flowchart TD\nstyle A fill:url(https://e.x)',
  'flowchart TD\nstyle A fill:URL(https://e.x)',
  'flowchart TD\nstyle A background:image-set("x" 1x)',
  'flowchart TD\nclassDef a fill:\\75rl(x)',
  'flowchart TD\nclassDef a fill:u\\rl(x)',
  'flowchart TD\nclassDef a fill:u/**/rl(x)',
  'stateDiagram-v2\nclassDef a fill:u;rl(x)',
  'flowchart TD\nclassDef a fill:red;}@IMPORT "x";',
  "%%{init: {'themeVariables': {'lineColor': 'url(//e.x)'}}}%%\nflowchart TD\nA",
  '%%{init: {"themeVariables": {"lineColor": "\\u0075rl(x)"}}}%%\nflowchart TD\nA',
  '---\nconfig:\n  x: "ur\\\n    l(x)"\n---\nflowchart TD\nA',
  'architecture-beta\nservice a("<img src=https://e.x>")[A]',
])('nothing that fetches is left: %s', (source) => {
  expect(disguiseFetches(source).text).not.toMatch(FETCHES);
});

it.each([
  ['fill:u%%{init: {}}%%rl(x)', 'fill:u %%{init: {}}%%rl(x)'],
  ['fill:u!importantrl(x)', 'fill:u!important rl(x)'],
  ['filter:ustroke:x,rl(x)', 'filter:ustroke:x, rl(x)'],
])('what is left out joins no word: %s', (style, apart) => {
  expect(disguiseFetches(style).text).toBe(apart);
});

it.each([
  'Parse URL (https) or Url(x), curl, urj, u;rl, uri',
  'C:\\temp\\new and \\\\share ⧵',
  'a /* comment */ in src',
  'List<int> and <<interface>> and [\\parallelogram\\]',
])('the picture has all of it back: %s', (label) => {
  const { text, restored } = disguiseFetches(label);
  expect(restored(text)).toBe(label);
});

it('a tag comes back as text', () => {
  const { text, restored } = disguiseFetches('<img src=x>');
  expect(restored(text)).toBe('&lt;img src=x>');
});

it('other text is left alone', () => {
  const source = 'flowchart TD\nA["one<br/>two"] -->|"x\\ny"| B[/c\\]\nstyle A stroke-dasharray: 5\\,5';
  expect(disguiseFetches(source).text).toBe(source);
});

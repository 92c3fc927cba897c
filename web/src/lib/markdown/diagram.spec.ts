// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { fetches } from './diagram';

it.each([
  'flowchart TD\nA@{ img: "https://e.x/i.png" }',
  'flowchart TD\nA@{ "img": "/api/session" }',
  "flowchart TD\nA@{ 'img' : x }",
  'flowchart TD\nA@{\n  ? img # a key\n  : x\n}',
  'flowchart TD\nA@{ label: &key img, *key : x }',
  'flowchart TD\nA@{ "im\\x67": x }',
  'sequenceDiagram\nparticipant A\nproperties A: {"icon": "https://e.x/i.png"}',
  'flowchart TD\nstyle A fill:url(https://e.x)',
  'flowchart TD\nstyle A fill:URL (https://e.x)',
  'flowchart TD\nstyle A background:image-set("x" 1x)',
  "%%{init: {'themeVariables': {'lineColor': 'url(//e.x)'}}}%%\nflowchart TD\nA",
])('no diagram brings a picture or a style from elsewhere: %s', (source) => {
  expect(fetches(source)).toBe(true);
});

it.each([
  'flowchart TD\nA["buildUrl(path)"] --> B["an img tag"]',
  'flowchart TD\nA@{ shape: cyl, label: "Database" }',
  'sequenceDiagram\nparticipant A\nA->>B: the icon\\nand more',
  "%%{init: {'theme': 'forest', 'flowchart': {'curve': 'linear'}}}%%\nflowchart TD\nA-->B",
  'C4Context\nPerson(a, "Ada", "draws sprites")',
])('a diagram that only speaks of such things is drawn: %s', (source) => {
  expect(fetches(source)).toBe(false);
});

// @vitest-environment jsdom
import { beforeAll, expect, it } from 'vitest';
import mermaid from 'mermaid';
import { hasPictures } from './diagram';
import { disguiseFetches } from './disguise';

beforeAll(() => mermaid.initialize({ securityLevel: 'strict', htmlLabels: false }));

it.each([
  'flowchart TD\nA@{ img: "https://e.x/i.png" }',
  'flowchart TD\nA@{ "img": "/api/session" }',
  "flowchart TD\nA@{ 'img' : x }",
  'flowchart TD\nA@{\n  ? img # a key\n  : x\n}',
  'flowchart TD\nA@{ label: &key img, *key : x }',
  'sequenceDiagram\nparticipant A\nproperties A: {"icon": "https://e.x/i.png"}',
  'sequenceDiagram\nparticipant A\nproperties A: {"ic<script></script>on": "https://e.x/i.png"}',
])('a diagram with a picture is known: %s', async (source) => {
  expect(await hasPictures(mermaid, disguiseFetches(source).text)).toBe(true);
});

it.each([
  'flowchart TD\nA["an img tag"] --> B@{ shape: rect, label: "resize img: icon" }',
  'flowchart TD\nA@{ shape: cyl, label: "Database" }',
  'flowchart TD\nA@{ "im\\x67": x }',
  'flowchart LR\n e1@{ animate: true }\n A e1@--> B[img.png]',
  'flowchart LR\nurl(URL) --> src("src") --> url',
  'sequenceDiagram\nAlice->>Bob: set properties of icon\\nand more',
  'sequenceDiagram\nparticipant A\nproperties A: {"class": "icon"}',
  'classDiagram\nclass Icon {\n+List properties\n+url(path) String\n}\nIcon <|-- Silicone',
  'C4Context\nPerson(a, "Ada", "draws sprites")',
])('a diagram that only speaks of pictures has none: %s', async (source) => {
  expect(await hasPictures(mermaid, disguiseFetches(source).text)).toBe(false);
});

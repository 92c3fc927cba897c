import { expect, it } from 'vitest';
import { diffLines } from './diff';

const DIFF = `--- a.md (version 1)
+++ a.md (version 2)
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -10,2 +10,3 @@
 ten
+--- not a name
 eleven
\\ No newline at end of file
`;

it('numbers lines on both sides and tells what became of them', () => {
  expect(diffLines(DIFF).map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
    ['same', 'one', 1, 1],
    ['removed', 'two', 2, null],
    ['added', '2', null, 2],
    ['same', 'three', 3, 3],
    ['gap', '', null, null],
    ['same', 'ten', 10, 10],
    ['added', '--- not a name', null, 11],
    ['same', 'eleven', 11, 12],
  ]);
});

it('has nothing to draw where nothing changed', () => {
  expect(diffLines('')).toEqual([]);
});

it('shows markup as it is', () => {
  expect(diffLines('--- a\n+++ b\n@@ -0,0 +1 @@\n+<script>x</script>\n')).toEqual([
    { kind: 'added', text: '<script>x</script>', before: null, after: 1 },
  ]);
});

import { readdirSync } from 'node:fs';
import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** The features, top rung first. A feature may import those on lower rungs, and none beside it. */
const FEATURES = [
  ['account'],
  ['conversation', 'palette', 'today'],
  ['composer', 'search', 'sidebar', 'tools'],
  ['calendar', 'files', 'memory', 'reminders', 'tasks'],
  ['projects'],
  ['context'],
  ['models', 'retrieval'],
  ['deletions', 'session'],
];

const unranked = readdirSync(new URL('src/features', import.meta.url)).filter(
  (name) => !FEATURES.flat().includes(name),
);
if (unranked.length) throw new Error(`Not on the ladder of features: ${unranked.join(', ')}.`);

const IMPORTS =
  ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression, TSImportType)';

/** Folders are flat: `..` could only lead into another one, past the rule. */
const ELSEWHERE = '(^|/)\\.\\.(/|$)';

/**
 * What a folder may not import: the web's own ladder, `routes > features > live | api | ui > lib`.
 * Absolute paths have an alias that says the same. `no-restricted-imports` would not see `import()`.
 * One block for each folder, as a later block replaces the options of an earlier one.
 */
const below = (folder, forbidden) => {
  const source = ['^/', '(^|/)routes/', ...forbidden].join('|').replaceAll('/', '\\/');
  return {
    files: [`src/${folder}/**`],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: `${IMPORTS}[source.value=/${source}/]`, message: 'Imports go down the ladder only.' },
        {
          selector: 'ImportExpression:not([source.type="Literal"])',
          message: 'Write the path as a plain string, so that the ladder can be checked.',
        },
      ],
    },
  };
};

const featureLadder = FEATURES.flatMap((rung, index) =>
  rung.map((name) => {
    const others = FEATURES.slice(0, index + 1)
      .flat()
      .filter((other) => other !== name);
    return below(`features/${name}`, [ELSEWHERE, ...others.map((other) => `^\\$features/${other}(/|$)`)]);
  }),
);

export default ts.config(
  { ignores: ['.svelte-kit/', '.cache/', 'node_modules/', 'src/api/schema.d.ts'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: { 'svelte/no-navigation-without-resolve': 'off' },
  },
  ...featureLadder,
  below('live', [ELSEWHERE, '^\\$(features|ui)/']),
  below('api', [ELSEWHERE, '^\\$(features|live|ui)/']),
  below('ui', [ELSEWHERE, '^\\$(features|live|api)/']),
  below('lib', ['(^|/)\\$?(features|live|api|ui)/']),
);

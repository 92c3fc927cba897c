import { readdirSync } from 'node:fs';
import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** The features, top rung first. A feature may import those on lower rungs, and none beside it. */
const FEATURES = [
  ['account'],
  ['conversation', 'palette'],
  ['composer', 'search', 'sidebar', 'tools'],
  ['files'],
  ['projects'],
  ['context'],
  ['models', 'retrieval'],
  ['deletions', 'session'],
];

const unranked = readdirSync(new URL('src/features', import.meta.url)).filter(
  (name) => !FEATURES.flat().includes(name),
);
if (unranked.length) throw new Error(`Not on the ladder of features: ${unranked.join(', ')}.`);

/**
 * What a folder may not import: the web's own ladder, `routes > features > live | api | ui > lib`.
 * One block for each folder, as a later block replaces the options of an earlier one.
 */
const below = (folder, forbidden) => ({
  files: [`src/${folder}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group: ['**/routes/**', ...forbidden], message: 'Imports go down the ladder only.' }] },
    ],
  },
});

const featureLadder = FEATURES.flatMap((rung, index) =>
  rung.map((name) => {
    const others = FEATURES.slice(0, index + 1)
      .flat()
      .filter((other) => other !== name);
    // Folders are flat: `../` could only lead into another feature, past the rule.
    return below(`features/${name}`, ['../**', ...others.map((other) => `$features/${other}/**`)]);
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
  below('live', ['../**', '$features/**', '$ui/**']),
  below('api', ['../**', '$features/**', '$live/**', '$ui/**']),
  below('ui', ['../**', '$features/**', '$live/**', '$api/**']),
  below('lib', [
    '**/features/**',
    '**/live/**',
    '**/api/**',
    '**/ui/**',
    '$features/**',
    '$live/**',
    '$api/**',
    '$ui/**',
  ]),
);

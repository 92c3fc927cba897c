import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** What a folder may not import: the web's own ladder, `routes > features > live | api | ui > lib`. */
const below = (files, forbidden) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group: forbidden, message: 'Imports go down the ladder only.' }] },
    ],
  },
});

export default ts.config(
  { ignores: ['.svelte-kit/', 'node_modules/', 'src/api/schema.d.ts'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: { 'svelte/no-navigation-without-resolve': 'off' },
  },
  below(['src/features/**'], ['**/routes/**']),
  below(['src/live/**', 'src/api/**', 'src/ui/**'], ['$features/**', '**/features/**', '**/routes/**']),
  below(['src/ui/**'], ['$features/**', '$live/**', '$api/**']),
  below(['src/lib/**'], ['$features/**', '$live/**', '$api/**', '$ui/**']),
);

import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const eslint = new ESLint();
// Loading the configuration takes longer than any test: it is done before the first.
await eslint.calculateConfigForFile('src/app.d.ts');

/** Return how often the ladder is broken by code that stands in a file of this path. */
async function countBreaks(filePath: string, code: string): Promise<number> {
  const results = await eslint.lintText(code, { filePath });
  const messages = results.flatMap((result) => result.messages);
  return messages.filter(({ ruleId }) => ruleId === 'no-restricted-syntax').length;
}

const FORMS = {
  import: (path: string) => `import { texts } from '${path}';\ntexts();`,
  'import of types': (path: string) => `import type { Text } from '${path}';\nexport type Own = Text;`,
  'import for effect': (path: string) => `import '${path}';`,
  'export of names': (path: string) => `export { texts } from '${path}';`,
  'export of all': (path: string) => `export * from '${path}';`,
  'dynamic import': (path: string) => `export const texts = () => import('${path}');`,
  'type of an import': (path: string) => `export type Texts = typeof import('${path}');`,
};

const UP = [
  ['features/models', '$features/account/texts'],
  ['features/models', '$features/retrieval/settings'],
  ['features/models', '/src/features/account/texts'],
  ['features/models', '../account/texts'],
  ['features/models', './../account/texts'],
  ['features/models', '$lib/../features/account/texts'],
  ['features/models', '../../routes/+page.svelte'],
  ['live', '$features/session/session.svelte'],
  ['live', '/src/ui/Button.svelte'],
  ['api', '$live/connection'],
  ['ui', '$api/client'],
  ['lib', '$ui/Button.svelte'],
  ['lib', '../ui/Button.svelte'],
  ['lib/markdown', '../../ui/Button.svelte'],
] as const;

const DOWN = [
  ['features/account', '$features/models/catalogue.svelte'],
  ['features/models', '$features/session/session.svelte'],
  ['features/models', './catalogue.svelte'],
  ['features/models', '$live/connection'],
  ['live', '$api/client'],
  ['ui', '$lib/texts'],
  ['lib/markdown', '../texts'],
  ['lib/markdown', 'shiki/core'],
  ['routes', '$features/account/texts'],
] as const;

describe.each(Object.entries(FORMS))('the ladder and an %s', (_, write) => {
  it.each(UP)('keeps %s from %s', async (folder, path) => {
    expect(await countBreaks(`src/${folder}/made-up.ts`, write(path))).toBe(1);
  });

  it.each(DOWN)('lets %s have %s', async (folder, path) => {
    expect(await countBreaks(`src/${folder}/made-up.ts`, write(path))).toBe(0);
  });
});

describe('the ladder', () => {
  it('sees what a component imports in its template', async () => {
    const code = "{#await import('$features/account/texts') then texts}{texts.name}{/await}";
    expect(await countBreaks('src/features/models/MadeUp.svelte', code)).toBe(1);
  });

  it('refuses a path that is put together', async () => {
    const code = 'export const load = (name: string) => import(`$features/${name}/texts`);';
    expect(await countBreaks('src/features/models/made-up.ts', code)).toBe(1);
  });
});

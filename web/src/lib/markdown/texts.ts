import { translate } from '$lib/texts';

const count = new Intl.NumberFormat('en');

export const words = translate({
  plain: 'text',
  copy: 'Copy code',
  copied: 'Copied',
  wrap: 'Wrap long lines',
  save: 'Download code',
  diagram: 'Diagram',
  drawing: 'Drawing the diagram…',
  source: 'Source',
  notDrawn: 'This diagram cannot be drawn. Here is its source.',
  longText: 'Long text',
  long: (characters: number) =>
    `A long text: ${count.format(characters)} characters. It is drawn as you scroll, so your browser's search finds only what is in sight.`,
});

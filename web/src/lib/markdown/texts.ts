import { texts } from '$lib/texts';

export const words = texts({
  plain: 'text',
  copy: 'Copy code',
  copied: 'Copied',
  wrap: 'Wrap long lines',
  save: 'Download code',
  diagram: 'Diagram',
  drawing: 'Drawing the diagram…',
  source: 'Source',
  notDrawn: 'This diagram cannot be drawn. Here is its source.',
});

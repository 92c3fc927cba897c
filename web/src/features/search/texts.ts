/** The words of search, of citations and of the settings of retrieval. */
import { translate } from '$lib/texts';

const count = new Intl.NumberFormat();

export const words = translate({
  title: 'Search',
  placeholder: 'Search files and conversations',
  clear: 'Clear the search',
  searching: 'Searching…',
  untitled: 'Untitled conversation',
  hiddenTalk: 'A private or deleted conversation',
  hiddenFile: 'A private or deleted file',
  lines: (from: number, to: number) => (to > from ? `lines ${from}–${to}` : `line ${from}`),
  round: (number: number) => `round ${number}`,
  person: 'a person',
  file: 'File',
  talk: 'Conversation',
  results: 'What was found',
  start: 'Find anything that was ever written here',
  startText:
    'Ask in your own words, or paste a name from code. Files and conversations of all projects are searched at once.',
  nothing: 'Nothing was found',
  nothingText: 'Try fewer or other words. What was added a moment ago may still be read.',
  nothingFiltered: 'Try fewer or other words, or take a filter away.',
  unfilter: 'Take all filters away',
  found: (hits: number, time: string) =>
    `${hits === 1 ? '1 passage' : `${count.format(hits)} passages`} in ${time}`,
  more: 'Show more',
  score: (score: string) => `Score ${score}`,
  why: 'Why here?',
  whyOf: 'What speaks for it',
  adds: (value: string, weight: string, adds: string) => `${value} × ${weight} = ${adds}`,
  signals: {
    dense: 'Meaning',
    lexical: 'Words',
    names: 'Exact names',
    neighbour: 'Said next to it',
    coverage: 'Covers the question',
    adjacency: 'Words side by side',
    heading: 'In the heading',
    recency: 'Recent',
    speaker: 'Speaker',
    time: 'Time',
    here: 'This conversation',
    linked: 'Linked file',
  } as Record<string, string>,
  broken: {
    words_broken: 'Found by meaning alone: the index of words is being mended.',
    embedder_unavailable: 'Found by words alone: the embedder is not available.',
  } as Record<string, string>,
  brokenPart: 'A part of the search did not work, so something may be missing here.',

  filters: 'Filters',
  everywhere: 'All projects',
  scope: 'Where to search',
  kinds: { all: 'Files and conversations', file: 'Files', message: 'Conversations' },
  kind: 'What to find',
  type: 'File type',
  typeHint: 'md, py',
  path: 'Path begins with',
  pathHint: 'docs/',
  tag: 'Tag',
  speaker: 'Speaker',
  speakerHint: 'user, gpt-5',
  from: 'From',
  to: 'Until',
  remove: (filter: string) => `Take away: ${filter}`,

  source: (number: number, where: string) => `Source ${number}: ${where}`,
  sources: (shown: number, pointed: number, cited: number) =>
    [`Sources: ${shown} shown`, pointed && `${pointed} pointed to`, `${cited} cited`]
      .filter(Boolean)
      .join(', '),
  pointedTo: 'The model was told where this stands, and not shown the words.',
  sourcesOf: 'Sources',
  open: 'Open',
  read: 'Read the passage',
  reading: 'Fetching the passage…',
  gone: 'The passage is no longer there.',
  good: 'Good source',
  bad: 'Bad source',
  cited: 'cited',
});

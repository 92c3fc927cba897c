/** The words of receipts and marks: what models were shown, and what they are to be shown. */
import { translate } from '$lib/texts';

export const words = translate({
  show: 'What it was shown',
  title: 'What it was shown',
  lead: (name: string) => `All that ${name} read before it answered, from top to bottom.`,
  none: 'There is no receipt for this answer: the model was never asked, or that was not written down yet.',

  ofLimit: (tokens: string, limit: string) => `${tokens} of ${limit} tokens`,
  window: 'Window',
  windowOf: (window: string) => `${window} tokens`,
  reserve: 'Kept free for the answer',
  cached: 'From the cache',
  cachedShare: (share: string) => `${share} of the prompt`,
  cost: 'Cost',
  check: 'Counted and reported',
  compared: (counted: string, reported: string) => `counted ${counted}, reported ${reported}`,
  inSteps: (counted: string, steps: number) => `${counted} in ${steps} steps`,
  unreported: (counted: string) => `counted ${counted}; the provider did not say`,
  awaited: (counted: string) => `counted ${counted}; the report comes with the end of the answer`,
  shortened: 'The provider found a longer prompt too long. It was asked once more, with this shorter one.',
  localOnly: 'Something in it is for local models alone, and so is this answer.',

  step: (number: number) => `Step ${number}`,
  stepSent: (fresh: string, all: string) => `${fresh} new, ${all} sent`,
  bySection: 'Tokens by section',
  section: 'Section',
  tokens: 'Tokens',
  count: (count: number) => (count === 1 ? '1 item' : `${count} items`),
  local: 'Local only',
  empty: 'Only what stands around the texts.',
  cites: (number: string) => `Cited as [${number}]`,
  read: 'Read it',
  hide: 'Hide it',
  about: (action: string, title: string) => `${action}: ${title}`,
  textOf: (title: string) => `Text: ${title}`,
  reading: 'Fetching the text…',
  noText: 'There is no text to show.',

  leftOut: 'Left out',
  nothingLeft: 'Nothing was left out.',
  without: 'Leave out',
  withoutItem: (title: string) => `Leave out: ${title}`,
  askWithout: (count: number) =>
    count === 1 ? 'Leave this out and ask again' : `Leave these ${count} out and ask again`,
  askWithAll: 'Ask again with all of it',
  asBefore: 'As it was',

  marks: {
    pinned: {
      badge: 'Pinned',
      title: 'Models are always shown this.',
      set: 'Pin: always show it to models',
      unset: 'Take the pin off',
    },
    excluded: {
      badge: 'Left out',
      title: 'Models are never shown this.',
      set: 'Leave out of prompts',
      unset: 'Let into prompts again',
    },
    local_only: {
      badge: 'Local only',
      title: 'Only local models are shown this.',
      set: 'Only for local models',
      unset: 'For all models again',
    },
  },
  marksOf: 'Marks',
  moreQuestion: 'More for this question',
  moreReply: 'More for this answer',
});

// @vitest-environment jsdom
import { mount, unmount, type Component } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Reply } from '$api/client';
import CitedText from './CitedText.svelte';
import { SourceRatings } from './sourceRatings.svelte';
import type { Passage } from './sourceLocation';
import SourceList from './SourceList.svelte';

// jsdom has no screen that could be dark.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => new EventTarget()));

const hidden = (number: number, kind: string): Passage => ({
  number,
  kind,
  source_id: '',
  project_id: null,
  path: '',
  page: '',
  start_line: 0,
  end_line: 0,
  start_char: 0,
  end_char: 0,
  heading: '',
  title: '',
  conversation_id: null,
  round_id: null,
  round_number: 0,
  speaker: '',
  tokens: 12,
  is_pointer: false,
  is_hidden: true,
});
const talk: Passage = {
  ...hidden(3, 'message'),
  source_id: 'msg_1',
  title: 'About the coast',
  conversation_id: 'cnv_1',
  round_id: 'rnd_1',
  round_number: 2,
  speaker: 'user',
  is_hidden: false,
};
const reply = {
  id: 'msg_2',
  content: 'It is so [1], [2] and [3].',
  passages: [hidden(1, 'message'), hidden(2, 'file'), talk],
} as unknown as Reply;

let drawn: Record<string, unknown> | undefined;
function draw<P extends Record<string, unknown>>(part: Component<P>, props: P): void {
  drawn = mount(part, { target: document.body, props });
}
const links = (): (string | null)[] =>
  [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));

afterEach(async () => {
  if (drawn) await unmount(drawn);
  drawn = undefined;
  document.body.replaceChildren();
});

it('names a source that one may not see by what it is, and links only the others', () => {
  draw(SourceList, { reply, marks: new SourceRatings(reply.id) });
  const rows = [...document.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(rows[0]).toContain('A private or deleted conversation');
  expect(rows[1]).toContain('A private or deleted file');
  expect(rows[2]).toContain('About the coast');
  expect(document.querySelector('summary')?.textContent).toBe('Sources: 3 shown, 3 cited');
  expect(links()).toEqual(['/c/cnv_1#rnd_1']);
  expect(document.querySelector('li')?.querySelectorAll('button')).toHaveLength(0);
});

it('leaves the number of such a source in the text as it is written', async () => {
  draw(CitedText, { reply, streaming: false, marks: new SourceRatings(reply.id) });
  await vi.waitFor(() => expect(links()).toEqual(['/c/cnv_1#rnd_1']));
  expect(document.body.textContent).toContain('It is so [1], [2] and 3.');
});

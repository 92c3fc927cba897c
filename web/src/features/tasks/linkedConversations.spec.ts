import { expect, it } from 'vitest';
import { linkedConversations } from './linkedConversations';

it('lists each conversation once', () => {
  const link = (conversation_id: string, kind: string, message_id: string | null = null) =>
    ({ conversation_id, kind, message_id }) as never;
  expect(
    linkedConversations([link('c1', 'created', 'm1'), link('c2', 'about'), link('c1', 'mentioned', 'm2')]),
  ).toEqual([
    { id: 'c1', messageId: 'm1', kinds: ['created', 'mentioned'] },
    { id: 'c2', messageId: null, kinds: ['about'] },
  ]);
});

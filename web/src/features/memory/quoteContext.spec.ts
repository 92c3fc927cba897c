import { expect, it } from 'vitest';
import { quoteContext } from './quoteContext';

const quoted = (content: string, quote: string) => {
  const start_char = [...content.slice(0, content.indexOf(quote))].length;
  return quoteContext({ start_char, end_char: start_char + [...quote].length, quote }, content);
};

it('stands between what was said before and after', () => {
  expect(quoted('Hello.\n\nI live in Porto.  What now?', 'I live in Porto.')).toEqual({
    before: 'Hello. ',
    quote: 'I live in Porto.',
    after: ' What now?',
  });
});

it('is found behind characters that take two units', () => {
  expect(quoted('🌱🌱 I grow beans.', 'I grow beans.').before).toBe('🌱🌱 ');
});

it('is shown with a few words of a long message, cut between words', () => {
  const { before, after } = quoted(
    `${'alpha '.repeat(60)}I live in Porto.${' omega'.repeat(60)}`,
    'I live in Porto.',
  );
  expect(before).toMatch(/^… alpha( alpha)* $/);
  expect(after).toMatch(/^( omega)+ …$/);
  expect(before.length).toBeLessThan(130);
});

it('stands alone where the message says something else there', () => {
  const place = { start_char: 3, end_char: 9, quote: 'Porto.' };
  expect(quoteContext(place, 'Lisbon, I said.')).toEqual({ before: '', quote: 'Porto.', after: '' });
});

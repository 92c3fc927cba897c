import { describe, expect, it } from 'vitest';
import { filterByName, fileMention, replaceTrigger, triggerAt } from './trigger';

const at = (text: string) => triggerAt(text, text.length);

describe('what asks for a suggestion', () => {
  it('is an @ at the start of a word', () => {
    expect(at('@')).toEqual({ mark: '@', query: '', start: 0, end: 1 });
    expect(at('ask @gpt-5')).toEqual({ mark: '@', query: 'gpt-5', start: 4, end: 10 });
    expect(at('two\n@openai/gpt')?.query).toBe('openai/gpt');
  });

  it('is not an address, nor an @ that was left behind', () => {
    expect(at('ana@example')).toBeNull();
    expect(at('@gpt and then')).toBeNull();
  });

  it('is a / where a line begins, and nowhere else', () => {
    expect(at('/sum')).toEqual({ mark: '/', query: 'sum', start: 0, end: 4 });
    expect(at('first\n/')?.mark).toBe('/');
    expect(at('and/or')).toBeNull();
    expect(at('see /etc')).toBeNull();
    expect(at('/etc/passwd')).toBeNull();
  });

  it('is a # at the start of a word, which names a file', () => {
    expect(at('see #docs/no')).toEqual({ mark: '#', query: 'docs/no', start: 4, end: 12 });
    expect(at('# Heading')).toBeNull();
    expect(at('C#')).toBeNull();
  });

  it('goes on over blanks in quotes, until they are closed', () => {
    expect(at('see #"my pl')).toEqual({ mark: '#', query: 'my pl', start: 4, end: 11 });
    expect(at('#"')).toEqual({ mark: '#', query: '', start: 0, end: 2 });
    expect(at('#"my plan.md"')).toBeNull();
    expect(at('#"plan.md"')).toBeNull();
    expect(at('#"my plan.md" and')).toBeNull();
  });

  it('is what stands before the caret', () => {
    expect(triggerAt('@gpt later', 3)).toEqual({ mark: '@', query: 'gp', start: 0, end: 3 });
  });
});

it('names a file as the server reads it: with quotes where a blank would end it', () => {
  expect(fileMention('docs/plan.md')).toBe('#docs/plan.md');
  expect(fileMention('docs/a plan.md')).toBe('#"docs/a plan.md"');
  expect(fileMention('c#/notes.md')).toBe('#"c#/notes.md"');
});

describe('what a choice does to the text', () => {
  it('takes a mention out without a gap', () => {
    const text = 'Well @gpt tell me';
    const found = triggerAt(text, 9);
    expect(found && replaceTrigger(text, found, '')).toEqual({ text: 'Well tell me', caret: 5 });
  });

  it('puts a template in place of its name', () => {
    const found = at('/sum');
    expect(found && replaceTrigger('/sum', found, 'Summarise: ')).toEqual({ text: 'Summarise: ', caret: 11 });
  });
});

it('finds by any name, beginnings first', () => {
  const things = ['old gpt', 'claude', 'GPT-5'];
  expect(filterByName(things, 'gpt', (name) => [name])).toEqual(['GPT-5', 'old gpt']);
  expect(filterByName(things, '', (name) => [name])).toEqual(things);
  expect(filterByName(things, 'nobody', (name) => [name])).toEqual([]);
});

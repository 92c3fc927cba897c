import { expect, it } from 'vitest';
import { greeting } from './greeting';

const at = (hour: number) => new Date(2026, 0, 1, hour);

it('greets by the hour, and by name where there is one', () => {
  expect(greeting(at(8), 'Ana')).toBe('Good morning, Ana');
  expect(greeting(at(12), ' ')).toBe('Good afternoon');
  expect(greeting(at(23), '')).toBe('Good evening');
  expect(greeting(at(2), '')).toBe('Good evening');
});

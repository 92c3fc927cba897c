/** Rules of repetition (RFC 5545): in words, and as the simple choices of a form. */
import { dateText } from './dateWords';
import { weekdayOf, type Day } from './zonedTime';

const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WORKDAYS = 'MO,TU,WE,TH,FR';
const UNITS: Record<string, [one: string, many: string]> = {
  HOURLY: ['hour', 'hours'],
  DAILY: ['day', 'days'],
  WEEKLY: ['week', 'weeks'],
  MONTHLY: ['month', 'months'],
  YEARLY: ['year', 'years'],
};
const DESCRIBED = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'UNTIL', 'COUNT', 'WKST']);

/** The parts of a rule by name. */
export function ruleParts(rule: string): Map<string, string> {
  const text = rule.trim().replace(/^RRULE:/i, '');
  const pairs = text.split(';').filter((part) => part.includes('='));
  return new Map(
    pairs.map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name.toUpperCase(), value.toUpperCase()];
    }),
  );
}

/** Say how often something happens: `Every week on Monday, until 3 March 2027`. What is rare stays as it is. */
export function describeRule(rule: string): string {
  const parts = ruleParts(rule);
  const unit = UNITS[parts.get('FREQ') ?? ''];
  if (!unit || [...parts.keys()].some((name) => !DESCRIBED.has(name))) return rule;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const isOnWorkdays = parts.get('BYDAY') === WORKDAYS && interval === 1 && !parts.has('BYMONTHDAY');
  const often = isOnWorkdays
    ? 'Every weekday'
    : interval === 1
      ? `Every ${unit[0]}`
      : `Every ${interval} ${unit[1]}`;
  return [often, isOnWorkdays ? '' : dayWords(parts), monthWords(parts), endWords(parts)].join('');
}

function dayWords(parts: Map<string, string>): string {
  const monthDays = parts.get('BYMONTHDAY');
  const days = parts.get('BYDAY');
  const words: string[] = [];
  if (days) words.push(joinWords(days.split(',').map(weekdayWords)));
  if (monthDays) words.push(joinWords(monthDays.split(',').map((day) => monthDayWords(Number(day)))));
  return words.length ? ` on ${words.join(', ')}` : '';
}

/** `2FR` is the second Friday, `-1MO` the last Monday. */
function weekdayWords(code: string): string {
  const [, count = '', day = ''] = /^([+-]?\d*)([A-Z]{2})$/.exec(code) ?? [];
  const name = NAMES[CODES.indexOf(day as (typeof CODES)[number])] ?? code;
  return count ? `the ${ordinalWords(Number(count))} ${name}` : name;
}

const monthDayWords = (day: number): string =>
  day < 0 ? `the ${ordinalWords(day)} day` : `the ${ordinal(day)}`;

function monthWords(parts: Map<string, string>): string {
  const months = parts.get('BYMONTH');
  if (!months) return '';
  return ` in ${joinWords(months.split(',').map((month) => MONTHS[Number(month) - 1] ?? month))}`;
}

function endWords(parts: Map<string, string>): string {
  const [until, count] = [ruleEndDay(parts), parts.get('COUNT')];
  if (until) return `, until ${dateText(until)}`;
  if (count) return Number(count) === 1 ? ', once' : `, ${count} times`;
  return '';
}

function ruleEndDay(parts: Map<string, string>): Day | null {
  const found = /^(\d{4})(\d{2})(\d{2})/.exec(parts.get('UNTIL') ?? '');
  return found ? `${found[1]}-${found[2]}-${found[3]}` : null;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const WORDS = ['first', 'second', 'third', 'fourth', 'fifth'];

function ordinalWords(count: number): string {
  if (count === -1) return 'last';
  if (count < 0) return `${WORDS[-count - 1] ?? ordinal(-count)} to last`;
  return WORDS[count - 1] ?? ordinal(count);
}

function ordinal(count: number): string {
  const isTeen = count % 100 > 10 && count % 100 < 14;
  return `${count}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][count % 10]) ?? 'th'}`;
}

/** The rules that a form offers for something that begins on a day. */
export function simpleRules(day: Day): string[] {
  const code = CODES[weekdayOf(day)];
  const monthDay = Number(day.slice(8));
  const place = Math.ceil(monthDay / 7);
  return [
    'FREQ=DAILY',
    `FREQ=WEEKLY;BYDAY=${WORKDAYS}`,
    `FREQ=WEEKLY;BYDAY=${code}`,
    `FREQ=WEEKLY;INTERVAL=2;BYDAY=${code}`,
    `FREQ=MONTHLY;BYMONTHDAY=${monthDay}`,
    `FREQ=MONTHLY;BYDAY=${place > 4 ? -1 : place}${code}`,
    'FREQ=YEARLY',
  ];
}

/** When a rule ends: never, with a last day, or after so many times. */
export type RuleEnd = { kind: 'never' } | { kind: 'day'; day: Day } | { kind: 'count'; count: number };

/** Take a rule apart into how often and until when. */
export function splitRule(rule: string): { base: string; end: RuleEnd } {
  const parts = ruleParts(rule);
  const base = [...parts]
    .filter(([name]) => name !== 'UNTIL' && name !== 'COUNT')
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
  const [until, count] = [ruleEndDay(parts), Number(parts.get('COUNT') ?? 0)];
  if (until) return { base, end: { kind: 'day', day: until } };
  return { base, end: count ? { kind: 'count', count } : { kind: 'never' } };
}

/** Put together how often and until when; a last day of timed things ends with that day in UTC. */
export function joinRule(base: string, end: RuleEnd, isAllDay: boolean): string {
  if (!base || end.kind === 'never') return base;
  if (end.kind === 'count') return `${base};COUNT=${end.count}`;
  const compact = end.day.replaceAll('-', '');
  return `${base};UNTIL=${compact}${isAllDay ? '' : 'T235959Z'}`;
}

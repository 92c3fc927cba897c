// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest';
import { focusIntoPopover, focusOutOfPopover } from './popoverFocus';

let opener: HTMLElement;
let box: HTMLElement;
const at = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement;

function tab(where: HTMLElement, listener: (event: KeyboardEvent) => void, shiftKey = false): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key: 'Tab', shiftKey, cancelable: true, bubbles: true });
  where.focus();
  where.addEventListener('keydown', listener, { once: true });
  where.dispatchEvent(event);
  return event;
}

beforeEach(() => {
  document.body.innerHTML =
    '<a id="opener" href="/x">1</a><div id="box"><p tabindex="0">x</p><button>y</button></div>';
  opener = at('#opener');
  box = at('#box');
});

it('goes into the box with Tab, and past it with Shift+Tab', () => {
  expect(tab(opener, (event) => focusIntoPopover(event, box)).defaultPrevented).toBe(true);
  expect(document.activeElement).toBe(at('p'));
  expect(tab(opener, (event) => focusIntoPopover(event, box), true).defaultPrevented).toBe(false);
  expect(document.activeElement).toBe(opener);
});

it('goes back from the beginning, and on from the end', () => {
  expect(tab(at('p'), (event) => focusOutOfPopover(event, box, opener), true).defaultPrevented).toBe(true);
  expect(document.activeElement).toBe(opener);
  expect(tab(at('button'), (event) => focusOutOfPopover(event, box, opener)).defaultPrevented).toBe(false);
  expect(document.activeElement).toBe(opener);
});

it('stays inside while there is more', () => {
  tab(at('p'), (event) => focusOutOfPopover(event, box, opener));
  expect(document.activeElement).toBe(at('p'));
});

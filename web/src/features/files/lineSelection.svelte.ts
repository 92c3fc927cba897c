/** Which lines are marked is said by the address alone, so that it can be passed on. */
import { goto } from '$app/navigation';
import { page } from '$app/state';
import { formatLineRange, type LineRange } from './lineRange';

/** Mark lines of the file that is seen, or none. */
export function selectLines(range: LineRange | null): Promise<void> {
  const query = range ? `?lines=${formatLineRange(range)}` : '';
  return goto(page.url.pathname + query, { replaceState: true, keepFocus: true, noScroll: true });
}

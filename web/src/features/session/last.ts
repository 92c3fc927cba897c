/** What the app showed last in this browser, to start with while the server cannot be reached. No secrets. */
import { forget, keep, keysWith, read } from '$lib/kept';

const PREFIX = 'tertulia.last.';

export const keepLast = (name: string, value: unknown): boolean => keep(PREFIX + name, value);

export const readLast = (name: string): unknown => read(PREFIX + name);

/** Leave nothing for the next person. */
export const forgetLast = (): void => keysWith(PREFIX).forEach(forget);

/** What the app showed last in this browser, to start with while the server cannot be reached. No secrets. */
import { removeStored, writeStored, storedKeys, readStored } from '$lib/storage';

const OFFLINE_CACHE_PREFIX = 'tertulia.last.';

export const writeOfflineCache = (name: string, value: unknown): boolean =>
  writeStored(OFFLINE_CACHE_PREFIX + name, value);

export const readOfflineCache = (name: string): unknown => readStored(OFFLINE_CACHE_PREFIX + name);

/** Leave nothing for the next person. */
export const clearOfflineCache = (): void => storedKeys(OFFLINE_CACHE_PREFIX).forEach(removeStored);

/** Specs share one page and one set of modules: after each test nothing of it is left on the page. */
import { afterEach } from 'vitest';
import { toasts } from '$ui/toasts.svelte';

afterEach(() => {
  for (const { id } of toasts.list) toasts.dismiss(id);
  if (typeof document !== 'undefined') document.body.replaceChildren();
});

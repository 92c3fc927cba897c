// Imported first: the theme is on <html> before anything is painted.
import '$lib/theme.svelte';

// One page for every path, drawn in the browser.
export const ssr = false;
export const prerender = false;

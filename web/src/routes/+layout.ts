// One page for every path, drawn in the browser.
export const ssr = false;
export const prerender = false;

import adapter from '@sveltejs/adapter-static';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  kit: {
    // Built into the Python package, which serves it: one page for every path.
    adapter: adapter({
      pages: '../src/tertulia/web',
      assets: '../src/tertulia/web',
      fallback: 'index.html',
      precompress: true,
    }),
    alias: { $features: 'src/features', $live: 'src/live', $api: 'src/api', $ui: 'src/ui' },
    output: { bundleStrategy: 'split' },
    version: { pollInterval: 0 },
  },
};

import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

const server = process.env.TERTULIA_URL ?? 'http://127.0.0.1:8400';

export default defineConfig({
  plugins: [tailwindcss(), sveltekit()],
  // Fonts as files of their own: the server's policy lets nothing in from a data URL but pictures.
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  // The Host header stays as it is: the server compares it with the page's origin.
  server: { proxy: { '/api': { target: server }, '/v1': { target: server } } },
  test: {
    environment: 'node',
    isolate: false,
    include: ['src/**/*.spec.ts'],
    setupFiles: ['src/vitest.setup.ts'],
  },
  ...(process.env.VITEST ? { resolve: { conditions: ['browser'] } } : {}),
});

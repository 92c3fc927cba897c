import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

const server = process.env.TERTULIA_URL ?? 'http://127.0.0.1:8400';

export default defineConfig({
  plugins: [tailwindcss(), sveltekit()],
  // Fonts as files of their own: the server's policy lets nothing in from a data URL but pictures.
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  server: { proxy: { '/api': server, '/v1': server } },
  test: { environment: 'jsdom', include: ['src/**/*.spec.ts'] },
  ...(process.env.VITEST ? { resolve: { conditions: ['browser'] } } : {}),
});

import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

const server = process.env.TERTULIA_URL ?? 'http://127.0.0.1:8400';

export default defineConfig({
  plugins: [tailwindcss(), sveltekit()],
  server: { proxy: { '/api': server, '/v1': server } },
  test: { environment: 'jsdom', include: ['src/**/*.spec.ts'] },
  ...(process.env.VITEST ? { resolve: { conditions: ['browser'] } } : {}),
});

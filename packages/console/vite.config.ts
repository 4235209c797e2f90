import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { inlineOperations } from '../../scripts/client/inline-operations.ts';
import { precompress } from '../../scripts/console/precompress.ts';

const token = process.env['BERTH_TOKEN'] ?? tokenOfLocalStack();

/** The console is built into the gateway, which serves it below /console/. `npm run dev:console` forwards calls to a running platform. */
export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: command === 'build' ? '/console/' : '/',
  plugins: [react(), inlineOperations, precompress],
  // The identity provider sends browsers to the platform, not here, so a token decides who is signed in.
  server: {
    proxy: {
      '/api': { target: process.env['BERTH_URL'] ?? 'http://127.0.0.1:17870', headers: { 'x-service-token': token } },
    },
  },
  build: {
    outDir: fileURLToPath(new URL('../../services/api-gateway/console/', import.meta.url)),
    emptyOutDir: true,
    // The policy of the page allows no data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
}));

function tokenOfLocalStack(): string {
  const file = new URL('../../.berth/state/ada.token', import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

// Builds the client for npm into `dist/client`; `npm pack ./dist/client` makes the archive.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build-client.ts';

const target = join(fileURLToPath(new URL('../../', import.meta.url)), 'dist/client');
await buildClient(target);
process.stdout.write('built dist/client\n');

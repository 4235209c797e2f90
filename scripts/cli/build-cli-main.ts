// Builds the command line into `dist/cli`; `npm pack ./dist/cli` makes the archive.
import { fileURLToPath } from 'node:url';
import { buildCli } from './build-cli.ts';

await buildCli(fileURLToPath(new URL('../../dist/cli', import.meta.url)));
process.stdout.write('built dist/cli\n');

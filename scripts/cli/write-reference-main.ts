// Writes `docs/cli.md`.
import { writeFile } from 'node:fs/promises';
import { cliReference } from './cli-reference.ts';

await writeFile(new URL('../../docs/cli.md', import.meta.url), cliReference());

// Writes `docs/client.md`.
import { writeFile } from 'node:fs/promises';
import { clientReference } from './client-reference.ts';

await writeFile(new URL('../../docs/client.md', import.meta.url), clientReference());

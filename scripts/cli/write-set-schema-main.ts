// Writes docs/set.schema.json from the documents that the command line reads.
import { writeFile } from 'node:fs/promises';
import { setSchema } from './set-schema.ts';

await writeFile(new URL('../../docs/set.schema.json', import.meta.url), setSchema());

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientReference } from './client-reference.ts';

test('docs/client.md lists the methods of the client; write it again with scripts/client/write-reference-main.ts', async () => {
  expect(await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8')).toBe(clientReference());
});

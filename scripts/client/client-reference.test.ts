import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientReference } from './client-reference.ts';

test('docs/client.md lists the methods of the client; npm run generate renews it', async () => {
  expect(await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8')).toBe(clientReference());
});

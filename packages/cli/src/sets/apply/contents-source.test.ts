import { expect, test } from 'vitest';
import { contentsSource } from './contents-source.ts';

test('a document cannot store the token of the command as a secret', async () => {
  const source = contentsSource('.', { BERTH_TOKEN: 'id.secret', WEB_TOKEN: 'abc' });

  expect(source.problemOf({ env: 'BERTH_TOKEN' })).toMatch(/^BERTH_TOKEN is this command's own token/);
  await expect(source.read({ env: 'BERTH_TOKEN' })).rejects.toThrow('must not be stored in a secret');
  expect(await source.read({ env: 'WEB_TOKEN' })).toBe('abc');
});

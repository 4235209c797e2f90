import { expect, test } from 'vitest';
import { contentsSource } from './contents-source.ts';

test('a document that somebody else has written does not store the token of the command', async () => {
  const source = contentsSource('.', { BERTH_TOKEN: 'id.secret', WEB_TOKEN: 'abc' });

  expect(source.problemOf({ env: 'BERTH_TOKEN' })).toMatch(/^BERTH_TOKEN is the token of this command itself/);
  await expect(source.read({ env: 'BERTH_TOKEN' })).rejects.toThrow('contents of no secret');
  expect(await source.read({ env: 'WEB_TOKEN' })).toBe('abc');
});

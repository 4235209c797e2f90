import { expect, test } from 'vitest';
import { eachAtMost } from './each-at-most.ts';

test('two items are handled at the same time, in order, and none is started after a failure', async () => {
  const begun: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const all = eachAtMost(2, [0, 1, 2, 3], async (n) => {
    begun.push(n);
    await ends[n]?.promise;
  });
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);

  ends[0]?.resolve();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);

  ends[2]?.reject(new Error('failed'));
  await expect(all).rejects.toThrow('failed');
  ends[1]?.resolve();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);
});

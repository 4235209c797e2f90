import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

const never = new Promise<never>(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('at most so many works run at the same time, in their order, and a failed one makes room', async () => {
  const inTurn = atMost(2, { holdMs: 60_000 });
  const begun: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const works = ends.map(({ promise }, n) =>
    inTurn(async () => {
      begun.push(n);
      await promise;
    }),
  );
  await turn();
  expect(begun).toEqual([0, 1]);

  ends[1]?.reject(new Error('failed'));
  await expect(works[1]).rejects.toThrow('failed');
  await turn();
  expect(begun).toEqual([0, 1, 2]);

  for (const { resolve } of ends) resolve();
  await Promise.allSettled(works);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('a work that hangs gives up its place, once', async () => {
  const inTurn = atMost(1, { holdMs: 20 });
  void inTurn(() => never);

  expect(await inTurn(async () => 'next')).toBe('next');
  void inTurn(() => never);
  const begun: string[] = [];
  const late = Promise.withResolvers<void>();
  const slow = inTurn(() => late.promise);
  const after = inTurn(async () => void begun.push('after'));
  await after;
  late.resolve();
  await slow;
  void inTurn(() => never);
  void inTurn(async () => void begun.push('waits'));
  await turn();

  expect(begun).toEqual(['after']);
});

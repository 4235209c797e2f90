import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

const never = new Promise<never>(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));

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

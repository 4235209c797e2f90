import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('works do not overlap, keep their order, and go on after one that fails', async () => {
  const inTurn = oneAtATime();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };

  const results = await Promise.allSettled([inTurn(work('a')), inTurn(work('b')), inTurn(work('c'))]);

  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

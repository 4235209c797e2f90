import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('works run one after the other, in the order in which they came, also after one that failed', async () => {
  const inTurn = oneAtATime();
  const told: string[] = [];
  const work = (name: string) => async () => {
    told.push(`${name} begins`);
    await turn();
    told.push(`${name} ends`);
    if (name === 'b') throw new Error('broken');
    return name;
  };

  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => inTurn(work(name))));

  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(all).toMatchObject([{ value: 'a' }, { reason: { message: 'broken' } }, { value: 'c' }]);
});

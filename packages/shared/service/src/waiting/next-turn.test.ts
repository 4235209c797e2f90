import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';

test('the next turn comes after the timers that are due and the immediates that wait', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    // In a callback of the loop itself, as every request is.
    setImmediate(() => {
      setImmediate(() => order.push('immediate'));
      setImmediate(() => setImmediate(() => order.push('immediate of the next turn')));
      void nextTurn().then(() => {
        order.push('next turn');
        resolve();
      });
    });
  });

  expect(order).toEqual(['immediate', 'immediate of the next turn', 'next turn']);
});

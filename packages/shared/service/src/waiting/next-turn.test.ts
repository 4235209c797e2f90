import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';

test('the next turn starts after due timers and waiting immediates', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    // Within a callback of the loop, like every request.
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

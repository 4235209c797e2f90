import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allEnded } from './all-ended.ts';

test('allEnded rejects only when the other promises have ended', async () => {
  let written = false;
  const slow = delay(50).then(() => (written = true));

  await expect(allEnded([Promise.reject(new Error('no')), slow])).rejects.toThrow('no');

  expect(written).toBe(true);
});

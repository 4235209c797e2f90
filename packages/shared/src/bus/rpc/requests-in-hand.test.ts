import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { RequestsInHand } from './requests-in-hand.ts';

const never = () => new Promise<void>(() => undefined);

test('there is room again when a request has ended', async () => {
  const inHand = new RequestsInHand();
  const { promise, resolve } = Promise.withResolvers<void>();
  inHand.add(promise, 1_000);
  for (let n = 1; n < limits.requestsInHand; n += 1) inHand.add(never(), 1_000);
  expect(inHand.hasRoom(0)).toBe(false);

  resolve();

  await expect.poll(() => inHand.hasRoom(0)).toBe(true);
});

test('handlers that never end lose their place some time after their deadline', () => {
  const inHand = new RequestsInHand();
  for (let n = 0; n < limits.requestsInHand; n += 1) inHand.add(never(), n === 0 ? 1_000 : 50_000);

  expect(inHand.hasRoom(10_999)).toBe(false);
  expect(inHand.hasRoom(11_001)).toBe(true);
  expect(inHand.size).toBe(limits.requestsInHand - 1);
});

test('waits for what is under way', async () => {
  const inHand = new RequestsInHand();
  inHand.add(new Promise((resolve) => setTimeout(resolve, 30)), 1_000);

  await expect(inHand.ended()).resolves.toBe(0);
});

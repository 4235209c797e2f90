import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

const never = () => new Promise<void>(() => undefined);

test('a request that ends makes room for another', async () => {
  const inFlight = new RequestsInFlight();
  const { promise, resolve } = Promise.withResolvers<void>();
  inFlight.add(promise, { deadline: 1_000 });
  for (let n = 1; n < limits.requestsInFlight; n += 1) inFlight.add(never(), { deadline: 1_000 });
  expect(inFlight.hasRoom(0)).toBe(false);

  resolve();

  await expect.poll(() => inFlight.hasRoom(0)).toBe(true);
});

test('large requests leave room only for small ones until one of them ends', async () => {
  const inFlight = new RequestsInFlight();
  const { promise, resolve } = Promise.withResolvers<void>();
  const bytes = limits.requestBytesInFlight / 2;
  inFlight.add(promise, { deadline: 1_000, bytes });
  inFlight.add(never(), { deadline: 1_000, bytes: bytes - 10 });

  expect(inFlight.hasRoom(0, 10)).toBe(true);
  expect(inFlight.hasRoom(0, 11)).toBe(false);

  resolve();
  await expect.poll(() => inFlight.hasRoom(0, bytes)).toBe(true);
});

test('a request whose handler never ends stops counting some time after its deadline', () => {
  const inFlight = new RequestsInFlight();
  for (let n = 0; n < limits.requestsInFlight; n += 1) inFlight.add(never(), { deadline: n === 0 ? 1_000 : 50_000 });

  expect(inFlight.hasRoom(10_999)).toBe(false);
  expect(inFlight.hasRoom(11_001)).toBe(true);
  expect(inFlight.size).toBe(limits.requestsInFlight - 1);
});

test('ended() waits for requests in flight', async () => {
  const inFlight = new RequestsInFlight();
  inFlight.add(new Promise((resolve) => setTimeout(resolve, 30)), { deadline: 1_000 });

  await expect(inFlight.ended()).resolves.toBe(0);
});

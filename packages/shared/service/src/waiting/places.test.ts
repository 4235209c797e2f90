import { expect, test } from 'vitest';
import { places } from './places.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a work that waits for a server that hangs gives its place to the next, and takes one again before it goes on', async () => {
  const inPlace = places(1, { patienceMs: 10 });
  const answer = Promise.withResolvers<string>();
  const end = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow = inPlace(async ({ away }) => {
    order.push(await away(() => answer.promise));
  });
  const next = inPlace(async () => {
    order.push('next');
    await end.promise;
  });
  await expect.poll(() => order).toEqual(['next']);

  answer.resolve('slow');
  await turn();
  expect(order).toEqual(['next']);

  end.resolve();
  await Promise.all([slow, next]);
  expect(order).toEqual(['next', 'slow']);
});

test('a work keeps its place while it does its own part, however long that takes', async () => {
  const inPlace = places(1, { patienceMs: 0 });
  const end = Promise.withResolvers<void>();
  const order: string[] = [];
  const long = inPlace(async () => {
    await end.promise;
    order.push('long');
  });
  const next = inPlace(async () => void order.push('next'));
  await new Promise((resolve) => setTimeout(resolve, 5));

  end.resolve();
  await Promise.all([long, next]);
  expect(order).toEqual(['long', 'next']);
});

test('a work that failed while its place was given up leaves no place behind', async () => {
  const inPlace = places(1, { patienceMs: 0 });
  const answer = Promise.withResolvers<never>();
  const failed = inPlace(({ away }) => away(() => answer.promise));
  await inPlace(async () => undefined);

  answer.reject(new Error('cut'));
  await expect(failed).rejects.toThrow('cut');

  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = inPlace(async () => {
    begun.push('first');
    await end.promise;
  });
  const second = inPlace(async () => void begun.push('second'));
  await turn();
  expect(begun).toEqual(['first']);
  end.resolve();
  await Promise.all([first, second]);
});

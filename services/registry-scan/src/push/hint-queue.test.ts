import { expect, test } from 'vitest';
import { createHintQueue, type ScanHint } from './hint-queue.ts';

const hint = (tag: string, fields: Partial<ScanHint> = {}): ScanHint => ({
  domain: 'registry.example.com',
  repository: 'charts/web',
  tag,
  digest: null,
  attempt: 1,
  ...fields,
});

test('a place waits once, as the newest hint says, until it is taken', () => {
  const queue = createHintQueue();

  queue.add(hint('a', { digest: 'sha256:1' }));
  queue.add(hint('b'));
  queue.add(hint('a', { digest: 'sha256:2' }));

  expect(queue.take(10)).toEqual([hint('a', { digest: 'sha256:2' }), hint('b')]);
  expect(queue.take(10)).toEqual([]);
  queue.add(hint('a'));
  expect(queue.take(10)).toEqual([hint('a')]);
});

test('at most as many are taken as are asked for, the oldest first', () => {
  const queue = createHintQueue();
  for (const tag of ['a', 'b', 'c']) queue.add(hint(tag));

  expect(queue.take(2)).toEqual([hint('a'), hint('b')]);
  expect(queue.take(2)).toEqual([hint('c')]);
});

test('a hint for later is taken later', () => {
  let now = 1_000;
  const queue = createHintQueue(() => now);
  expect(queue.nextInMs()).toBe(Number.POSITIVE_INFINITY);

  queue.add(hint('a'), 500);
  expect(queue.take(1)).toEqual([]);
  expect(queue.nextInMs()).toBe(500);

  queue.add(hint('a', { attempt: 2 }), 9_000);
  now += 600;
  expect(queue.nextInMs()).toBe(0);
  expect(queue.take(1)).toEqual([hint('a', { attempt: 2 })]);
});

test('beyond ten thousand places it says so, but takes news of those that wait', () => {
  const queue = createHintQueue();
  for (let count = 0; count < 10_000; count += 1) queue.add(hint(String(count)));

  expect(queue.add(hint('one more'))).toBe(false);
  expect(queue.add(hint('7', { attempt: 2 }))).toBe(true);
});

import { expect, test } from 'vitest';
import { createHintQueue, type ScanHint } from './hint-queue.ts';

const hint = (tag: string, fields: Partial<ScanHint> = {}): ScanHint => ({
  key: 'registry.example.com',
  repository: 'charts/web',
  tag,
  digest: null,
  attempt: 1,
  ...fields,
});

test('the hint queue keeps the newest hint of each tag until it is taken', () => {
  const queue = createHintQueue();

  queue.add(hint('a', { digest: 'sha256:1' }));
  queue.add(hint('b'));
  queue.add(hint('a', { digest: 'sha256:2' }));

  expect(queue.take(10)).toEqual([hint('a', { digest: 'sha256:2' }), hint('b')]);
  expect(queue.take(10)).toEqual([]);
  queue.add(hint('a'));
  expect(queue.take(10)).toEqual([hint('a')]);
});

test('the hint queue hands out at most the requested number, oldest first', () => {
  const queue = createHintQueue();
  for (const tag of ['a', 'b', 'c']) queue.add(hint(tag));

  expect(queue.take(2)).toEqual([hint('a'), hint('b')]);
  expect(queue.take(2)).toEqual([hint('c')]);
});

test('a hint is handed out only when it is due', () => {
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

test('a full hint queue refuses new tags and still updates the queued ones', () => {
  const queue = createHintQueue();
  for (let count = 0; count < 10_000; count += 1) queue.add(hint(String(count)));

  expect(queue.add(hint('one more'))).toBe(false);
  expect(queue.add(hint('7', { attempt: 2 }))).toBe(true);
});

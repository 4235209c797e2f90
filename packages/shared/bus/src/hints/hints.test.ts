import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';

let nats: TestNats;
let tasks: Bus;
let runner: Bus;

beforeAll(async () => {
  nats = await startTestNats();
  [tasks, runner] = await Promise.all([connectTestBus(nats, 'tasks'), connectTestBus(nats, 'runner')]);
});

afterAll(async () => {
  await Promise.all([tasks, runner].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

test('a hint reaches the listeners of its key, until they stop', async () => {
  const received: string[] = [];
  const end = new AbortController();
  runner.hints.listen('task_cancel', (key) => received.push(key), { signal: end.signal });
  runner.hints.listen('task_cancel', (key) => received.push(`only ${key}`), { key: 'b', signal: end.signal });
  runner.hints.listen(
    'task_cancel',
    () => {
      throw new Error('a listener that fails');
    },
    { signal: end.signal },
  );

  await expect
    .poll(() => {
      tasks.hints.send('task_cancel', 'a');
      return received;
    })
    .toContain('a');
  tasks.hints.send('task_cancel', 'b');
  await expect.poll(() => received).toContain('only b');
  expect(received).not.toContain('only a');

  end.abort();
  const before = received.length;
  tasks.hints.send('task_cancel', 'a');
  await expect(runner.isAnswering('tasks')).resolves.toBeTypeOf('boolean');
  expect(received.length).toBe(before);
});

test('a hint with a key of several tokens is refused', () => {
  expect(() => tasks.hints.send('task_log', 'a.>')).toThrow('key');
});

test('a hint sent while NATS is unreachable is dropped silently', async () => {
  await nats.stop();
  await expect.poll(() => tasks.isConnected()).toBe(false);

  expect(() => tasks.hints.send('task_log', 'a')).not.toThrow();
});

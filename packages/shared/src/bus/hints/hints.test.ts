import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestBus } from '../../testing/test-bus.ts';
import { startTestNats, type TestNats } from '../../testing/test-nats.ts';
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

test('a hint reaches those who listen to its key, until they stop', async () => {
  const heard: string[] = [];
  const end = new AbortController();
  runner.hints.listen('task_cancel', (key) => heard.push(key), { signal: end.signal });
  runner.hints.listen('task_cancel', (key) => heard.push(`only ${key}`), { key: 'b', signal: end.signal });
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
      return heard;
    })
    .toContain('a');
  tasks.hints.send('task_cancel', 'b');
  await expect.poll(() => heard).toContain('only b');
  expect(heard).not.toContain('only a');

  end.abort();
  const before = heard.length;
  tasks.hints.send('task_cancel', 'a');
  await expect(runner.isAnswering('tasks')).resolves.toBeTypeOf('boolean');
  expect(heard.length).toBe(before);
});

test('a key that is no single word is refused', () => {
  expect(() => tasks.hints.send('task_log', 'a.>')).toThrow('key');
});

test('a hint sent while NATS is away is dropped without a word', async () => {
  await nats.stop();
  await expect.poll(() => tasks.isConnected()).toBe(false);

  expect(() => tasks.hints.send('task_log', 'a')).not.toThrow();
});

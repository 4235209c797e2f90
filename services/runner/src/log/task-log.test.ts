import { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { finderOf } from './known-secrets.ts';
import { createTaskLog, type TaskLogDeps } from './task-log.ts';

const Batch = z.object({ first: z.number(), lines: z.array(LogLine) });
type Batch = z.infer<typeof Batch>;

function logTo(answer: (batch: Batch, calls: number) => void) {
  const batches: Batch[] = [];
  const lost = new AbortController();
  const bus: TaskLogDeps['bus'] = {
    call: async (_, request) => {
      const { body } = z.object({ body: Batch }).parse(request);
      batches.push(body);
      answer(body, batches.length);
      return JSON.parse('null');
    },
  };
  const task = { task_id: 'a', fence: 1 };
  const lease = { lost: lost.signal, isLost: () => lost.signal.aborted };
  return { log: createTaskLog({ task, bus, secrets: () => finderOf([]), lease }), batches, lost };
}

const texts = (batches: Batch[]) => batches.flatMap(({ lines }) => lines.map(({ text }) => text));

test('an unanswered batch of log lines is sent again with the same number and the same lines', async () => {
  const { log, batches } = logTo((_, calls) => {
    if (calls === 1) {
      log.say('three');
      throw new AppError('timeout', 'no answer');
    }
  });
  log.say('one');
  log.say('two');
  await log.close(5_000);

  expect(batches.map(({ first, lines }) => [first, lines.length])).toEqual([
    [0, 2],
    [0, 2],
    [2, 1],
  ]);
});

test('a refusal because the claim is over ends the log, not the task', async () => {
  const { log, batches } = logTo(() => {
    throw new AppError('conflict', 'The task was taken over by another runner');
  });
  log.say('one');
  await log.close(5_000);
  log.say('two');
  await log.close(5_000);

  expect(batches).toHaveLength(1);
});

test.for(['internal', 'too_large', 'invalid'] as const)(
  'log lines that cannot be stored (%s) are left out after a few tries, and a note counts them',
  async (code) => {
    const { log, batches } = logTo(({ lines }) => {
      if (lines.some(({ text }) => text === 'bad')) throw new AppError(code, 'no');
    });
    log.say('good');
    await expect.poll(() => texts(batches)).toEqual(['good']);
    log.say('bad');
    log.say('in the same batch');
    await log.close(5_000);

    const tries = batches.filter(({ lines }) => lines.some(({ text }) => text === 'bad'));
    expect(tries.length).toBe(code === 'internal' ? 3 : 1);
    expect(batches.at(-1)).toMatchObject({
      first: 3,
      lines: [{ source: 'berth', text: '… 2 lines are missing here: they could not be stored' }],
    });
  },
);

test('a log ends if none of its lines can be stored', async () => {
  const { log, batches } = logTo(() => {
    throw new AppError('internal', 'no');
  });
  log.say('one');
  await log.close(5_000);

  expect(batches.length).toBeLessThanOrEqual(6);
});

test('log batches are bounded in bytes, and a note counts the lines that arrived too fast', async () => {
  const { log, batches } = logTo(() => undefined);
  for (let line = 0; line < 2_000; line += 1) log.line('stdout', 'x'.repeat(3_000));
  await log.close(5_000);

  expect(Math.max(...batches.map(({ lines }) => JSON.stringify(lines).length))).toBeLessThan(256 * 1024);
  const kept = texts(batches);
  const note = /(\d+) lines left out/.exec(kept.at(-1) ?? kept.find((text) => text.startsWith('…')) ?? '');
  expect(kept.filter((text) => text.startsWith('x')).length + Number(note?.[1])).toBe(2_000);
});

test('a log stops sending when its claim expired during a pause of the process, even before the signal arrives', async () => {
  const batches: unknown[] = [];
  const bus: TaskLogDeps['bus'] = {
    call: async (_, request) => {
      batches.push(request);
      return JSON.parse('null');
    },
  };
  let isExpired = false;
  const lease = { lost: new AbortController().signal, isLost: () => isExpired };
  const log = createTaskLog({ task: { task_id: 'a', fence: 1 }, bus, secrets: () => finderOf([]), lease });
  log.say('before the pause');
  isExpired = true;
  await log.close(5_000);

  expect(batches).toEqual([]);
});

test('a log ends at once when its claim is lost', async () => {
  const { log, batches, lost } = logTo(() => {
    throw new AppError('unavailable', 'away');
  });
  log.say('one');
  setTimeout(() => lost.abort(), 100);
  const started = performance.now();
  await log.close(20_000);

  expect(performance.now() - started).toBeLessThan(5_000);
  expect(batches.length).toBeLessThan(3);
});

import { expect, test } from 'vitest';
import type { Client } from '../api/client.ts';
import { textStream } from '../http/text-stream.ts';
import { followLog } from './follow-log.ts';

type Tasks = Pick<Client, 'deploymentTasks'>;

const answered = (value: unknown) => ({ ok: true, value, etag: null, taskIds: [], taskCount: 0 });

/** A platform whose connections break after these lines; the task ends with the last one. */
const breaking = (connections: string[][]) => {
  const waiting = [...connections];
  const log = async () => {
    const lines = waiting.shift() ?? [];
    return answered({
      async *endedLines() {
        yield* lines;
        if (waiting.length > 0) throw new TypeError('terminated');
      },
    });
  };
  const get = async () => answered({ status: waiting.length > 0 ? 'Started' : 'Done' });
  return { deploymentTasks: { log, get } } as unknown as Tasks;
};

test('a log is read to its end, each line once, across connections that break', async () => {
  const lines: string[] = [];

  for await (const line of followLog(breaking([['a', 'b'], [], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]), 'id'))
    lines.push(line);

  expect(lines).toEqual(['a', 'b', 'c', 'd']);
});

test('a task that the caller may not see is a problem at once', async () => {
  const problem = { code: 'not_found', request: 'GET', status: 404, detail: 'No such task', errors: [] };
  const client = { deploymentTasks: { log: async () => ({ ok: false, problem }) } } as unknown as Tasks;

  await expect(followLog(client, 'id').next()).rejects.toMatchObject({ problem });
});

test('a line within which a proxy closed the connection is read again as a whole', async () => {
  const texts = ['one\ntw', 'one\ntwo\nthree\n-- Done\n'];
  const log = async () => answered(textStream(new Response(texts.shift())));
  const get = async () => answered({ status: texts.length > 0 ? 'Started' : 'Done' });
  const client = { deploymentTasks: { log, get } } as unknown as Tasks;
  const lines: string[] = [];

  for await (const line of followLog(client, 'id')) lines.push(line);

  expect(lines).toEqual(['one', 'two', 'three', '-- Done']);
});

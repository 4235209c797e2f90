import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { loopCost } from '@berth/testing/loop-cost';
import { expect, test } from 'vitest';
import { invoke, type InvokeRun } from '../src/calls/invoke.ts';
import { createErrorLines } from '../src/helm/error-lines.ts';
import { splitLines } from '../src/helm/split-lines.ts';
import { createKnownSecrets } from '../src/log/known-secrets.ts';
import { logTexts } from '../src/log/log-texts.ts';
import { createTaskLog, type TaskLogDeps } from '../src/log/task-log.ts';

/** A secret of many lines, such as a bundle of certificates. */
const thousandLines = Array.from({ length: 1_000 }, () => randomBytes(24).toString('base64')).join('\n');
/** Secrets that begin like the output of the chart, so that each line resembles a secret. */
const alike = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, index) => [`key${index}`, `${'a'.repeat(20)}${index}`]),
);

/** A log service that accepts every batch. */
async function logOf(secrets: Record<string, Record<string, string>>) {
  const known = await createKnownSecrets({ secrets, confidential: [] });
  const bus: TaskLogDeps['bus'] = { call: async () => JSON.parse('null') };
  const lease = { lost: new AbortController().signal, isLost: () => false };
  const log = createTaskLog({ task: { task_id: 'a', fence: 1 }, bus, secrets: known.texts, lease });
  return { known, log };
}

test.for([
  ['600,000 short lines', 'a\n', 600_000],
  ['200,000 lines with escapes', `${String.raw`\u0061%61`}\n`, 200_000],
  ['lines without end', 'a'.repeat(65_536), 40],
  ['lines like the secrets', `${'a'.repeat(200)}\n`, 10_000],
] as const)(
  'the event loop is not blocked while a chart prints %s, for any kind of secrets',
  async ([, line, count]) => {
    const { known, log } = await logOf({ bundle: { pem: thousandLines }, alike });
    const errors = createErrorLines((text) => logTexts(text, known.texts()));
    const bytes = Buffer.from(line.repeat(count));

    const { longestTurnMs, mostHeapMb } = await loopCost(async () => {
      const output = new PassThrough();
      const each = (text: string) => {
        log.line('stderr', text);
        errors.add(text);
      };
      splitLines(output, each, () => undefined);
      const ended = once(output, 'end');
      for (let at = 0; at < bytes.length; at += 65_536) {
        output.write(bytes.subarray(at, at + 65_536));
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
      output.end();
      await ended;
      await log.close(5_000);
    });

    // A naive search took seconds: the number of texts times the number of lines.
    expect(longestTurnMs).toBeLessThan(150);
    expect(mostHeapMb).toBeLessThan(150);
  },
);

test('an answer of 131,072 lines to an action with a sensitive input of a thousand lines does not block the event loop', async () => {
  const { known, log } = await logOf({});
  const text = 'a\n'.repeat(131_072);
  const { signal } = new AbortController();
  const said: string[] = [];
  const run: InvokeRun = {
    task: {
      call: { host: 'h', path: '/p', method: 'POST', body: null, token: 'a.b.c', hidden: [thousandLines] },
    },
    lease: { beginAttempt: async () => undefined, lost: signal, canceled: signal },
    log: {
      line: log.line,
      say: (words) => {
        said.push(words);
        log.say(words);
      },
    },
    secrets: known,
    stop: signal,
    deps: {
      deployments: {
        call: async () => ({ status: 200, text, isCut: false }),
        [Symbol.dispose]: () => undefined,
      },
      stopping: signal,
    },
  };

  const { longestTurnMs } = await loopCost(() => invoke(run));
  await log.close(5_000);

  expect(longestTurnMs).toBeLessThan(150);
  expect(said.at(-1)).toBe('only the first 2000 lines of the answer are kept');
});

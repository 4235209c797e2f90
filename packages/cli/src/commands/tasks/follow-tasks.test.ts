import type { Client } from '@berth/client';
import { expect, test } from 'vitest';
import type { Cli } from '../../terminal/cli.ts';
import { followTasks } from './follow-tasks.ts';

const answered = (value: unknown) => ({ ok: true, value, etag: null, taskIds: [], taskCount: 0 });

/** A platform on which these tasks end so; those without an end go on until they are cancelled, or as long as `cancel` says. */
function platformOf(
  ends: Record<string, string | null>,
  cancel: (id: string, signal?: AbortSignal) => 'ends' | 'goes on' | Promise<never> = () => 'ends',
) {
  const followed: string[] = [];
  const cancelled: string[] = [];
  const interrupts = new Set<() => void>();
  const log = async ({ id }: { id: string }) => {
    followed.push(id);
    return answered({ async *endedLines() {} });
  };
  const get = async ({ id }: { id: string }) =>
    answered({ id, status: ends[id] ?? (cancelled.includes(id) ? 'Canceled' : 'Started'), reason: null });
  const asked: string[] = [];
  const askToCancel = async ({ id }: { id: string }, { signal }: { signal?: AbortSignal }) => {
    asked.push(id);
    if ((await cancel(id, signal)) === 'ends') cancelled.push(id);
    return answered({ id });
  };
  const client = { deploymentTasks: { log, get, cancel: askToCancel } } as unknown as Pick<Client, 'deploymentTasks'>;
  const said: string[] = [];
  const onInterrupt = (act: () => void) => (interrupts.add(act), () => void interrupts.delete(act));
  const cli = { onInterrupt, process: { stderr: { write: (text: string) => said.push(text) } } } as unknown as Cli;
  const interrupt = () => [...interrupts].forEach((act) => act());
  return {
    given: { cli, client, ids: Object.keys(ends), withinMs: 60_000 },
    followed,
    asked,
    cancelled,
    said,
    interrupt,
  };
}

test('every task that a change queued is followed, in order', async () => {
  const { given, followed } = platformOf({ uninstall: 'Done', install: 'Done' });

  await followTasks(given);

  expect(followed).toEqual(['uninstall', 'install']);
});

test('a later task that fails is a failure', async () => {
  const { given } = platformOf({ uninstall: 'Done', install: 'Failed' });

  await expect(followTasks(given)).rejects.toMatchObject({ outcome: 'failed' });
});

test('Ctrl-C cancels the tasks that have not ended, from the last one', async () => {
  const { given, cancelled, interrupt } = platformOf({ first: 'Done', second: null, third: null });

  setTimeout(interrupt, 20);
  await expect(followTasks(given)).rejects.toMatchObject({ outcome: 'cancelled' });

  expect(cancelled).toEqual(['third', 'second']);
});

test('Ctrl-C leaves a task that somebody else may have queued', async () => {
  const { given, cancelled, interrupt } = platformOf({ task: null });

  setTimeout(interrupt, 20);
  await expect(followTasks({ ...given, areForeign: true })).rejects.toThrow(/task goes on: berth logs/);

  expect(cancelled).toEqual([]);
});

test('a second Ctrl-C drops cancellations that were not sent yet, and says that the tasks go on', async () => {
  const held = (_: string, signal?: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const { given, asked, interrupt } = platformOf({ first: null, second: null }, held);

  setTimeout(interrupt, 20);
  setTimeout(interrupt, 40);
  await expect(followTasks(given)).rejects.toMatchObject({
    outcome: 'cancelled',
    message: 'task first goes on: berth logs first -f',
  });

  expect(asked).toEqual(['second']);
});

test('a second Ctrl-C leaves a task that was asked to stop, and says so', async () => {
  const { given, said, interrupt } = platformOf({ task: null }, () => 'goes on');

  setTimeout(interrupt, 20);
  setTimeout(interrupt, 40);
  await expect(followTasks(given)).rejects.toThrow(
    'task task was asked to stop, and has not ended: berth logs task -f',
  );

  expect(said.join('')).toContain('once more leaves');
});

import type { Client } from '@berth/client';
import { expect, test } from 'vitest';
import type { Cli } from '../../terminal/cli.ts';
import { followTasks } from './follow-tasks.ts';

const answered = (value: unknown) => ({ ok: true, value, etag: null, taskIds: [], taskCount: 0 });

/** A platform on which these tasks end so; those without an end go on until they are cancelled. */
function platformOf(ends: Record<string, string | null>) {
  const followed: string[] = [];
  const cancelled: string[] = [];
  const interrupts = new Set<() => void>();
  const log = async ({ id }: { id: string }) => {
    followed.push(id);
    return answered({ async *endedLines() {} });
  };
  const get = async ({ id }: { id: string }) =>
    answered({ id, status: ends[id] ?? (cancelled.includes(id) ? 'Canceled' : 'Started'), reason: null });
  const cancel = async ({ id }: { id: string }) => answered(cancelled.push(id));
  const client = { deploymentTasks: { log, get, cancel } } as unknown as Pick<Client, 'deploymentTasks'>;
  const said: string[] = [];
  const onInterrupt = (act: () => void) => (interrupts.add(act), () => void interrupts.delete(act));
  const cli = { onInterrupt, process: { stderr: { write: (text: string) => said.push(text) } } } as unknown as Cli;
  const interrupt = () => [...interrupts].forEach((act) => act());
  return { given: { cli, client, ids: Object.keys(ends), withinMs: 60_000 }, followed, cancelled, interrupt };
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

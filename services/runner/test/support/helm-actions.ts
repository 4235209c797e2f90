import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from '@berth/client';
import { allPids, commandOf, watchedProcesses } from '@berth/devstack/testing/watched-processes';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { z } from 'zod';
import type { RunnerWorld } from './runner-world.ts';
import type { ReportedOutcome } from './fake-tasks.ts';

const run = promisify(execFile);
const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });

/** Process ids of Helm for a namespace. */
export const helmsOf = (namespace: string): number[] => helmsAmong(allPids(), namespace);

/** The same in a tight loop, for tests that wait for Helm. */
export function watchHelms(namespace: string): () => number[] {
  const due = watchedProcesses();
  return () => helmsAmong(due(), namespace);
}

const helmsAmong = (pids: string[], namespace: string): number[] =>
  pids.filter((pid) => isHelmFor(namespace, commandOf(pid))).map(Number);

const isHelmFor = (namespace: string, [program = '', ...args]: string[]): boolean =>
  program.endsWith('helm') && args.includes(namespace);

const usualMs = 60_000;

export const soon = <T>(
  what: string,
  read: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = usualMs,
) => waitUntil(async () => read(), { what, withinMs, everyMs: 50, longestPauseMs: 50 });

export function actionsIn({ api, helm, kubeconfigFile, tasks }: RunnerWorld) {
  const helmJson = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await run(helm, [...args, '--output', 'json', '--kubeconfig', kubeconfigFile]);
    return JSON.parse(stdout);
  };
  const History = z.array(z.object({ status: z.string(), description: z.string() }));

  const Secrets = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

  return {
    async run(task: ClaimedTask, withinMs = usualMs): Promise<ReportedOutcome> {
      tasks.give(task);
      return soon('the outcome of the task', () => tasks.endOf(task.task_id), withinMs);
    },
    history: async (namespace: string) =>
      History.parse(await helmJson('history', namespace, '--namespace', namespace)).map(({ status }) => status),
    /** Rolls back to the first revision by hand. */
    rollBack: (namespace: string) =>
      run(helm, ['rollback', namespace, '1', '--namespace', namespace, '--kubeconfig', kubeconfigFile]),
    /** Names of Helm's release Secrets. */
    releases: async (namespace: string) =>
      Secrets.parse(
        await api.getJson(`/api/v1/namespaces/${namespace}/secrets?labelSelector=owner%3Dhelm`, call()),
      ).items.map(({ metadata }) => metadata.name),
    /** Adds a task whose Helm waits forever; resolves with its process id once it waits. */
    async startSlow(task: ClaimedTask): Promise<number> {
      tasks.give(task);
      const { namespace } = task;
      const helms = watchHelms(namespace);
      return soon('Helm to wait', async () => {
        const [pid] = helms();
        if (pid === undefined) return null;
        const { items } = z
          .object({ items: z.array(z.unknown()) })
          .parse(await api.getJson(`/api/v1/namespaces/${namespace}/pods`, call()));
        return items.length > 0 ? pid : null;
      });
    },
    get: (path: string) => api.getJson(path, call()),
    remove: (path: string) => api.deleteJson(path, {}, call()),
    post: (path: string, body: object) => api.postJson(path, body, call()),
    exists: async (path: string) =>
      api.getJson(path, call()).then(
        () => true,
        () => false,
      ),
  };
}

import { expect, test } from 'vitest';
import { longestMs } from '../helm/helm-limits.ts';
import { taskOf } from '../../test/support/fake-tasks.ts';
import type { Entered } from '../cluster/cluster-entry.ts';
import { enterNamespace } from './enter-namespace.ts';

const entered: Entered = {
  state: 'absent',
  is_new: false,
  access: null,
  cluster_roles: [],
  refused_grants: [],
  is_shared_account: false,
};

test('the access lasts longer than Helm may run: hooks before, the wait, and hooks after have the timeout each', async () => {
  const asked: number[] = [];
  const access = {
    enter: async (_: unknown, neededMs: number) => {
      asked.push(neededMs);
      return entered;
    },
  };
  const chart = { helm_chart_id: '0d6bd0e4-0d5e-4d1c-8d5c-0c6a5ab8b9a1', digest: 'sha256:0', version: '1.0.0' };
  const task = taskOf(chart, { wait: { enabled: true, timeout_secs: 300 } });

  await enterNamespace({ task, log: { say: () => undefined }, stop: new AbortController().signal, deps: { access } });

  expect(asked[0]).toBeGreaterThan(3 * 300_000);
  expect(asked[0]).toBeGreaterThan(longestMs(300));
});

import type { TaskOperation } from '@berth/shared/contracts/task-operation';
import { describe, expect, test } from 'vitest';
import { whyMoot } from './why-moot.ts';

const what = { helm_chart_id: 'h1', config_inputs: {}, values_override: null };
const place = { old_cluster_id: 'c1', old_namespace: 'web-a', new_cluster_id: 'c1', new_namespace: 'web-b' };
const operations = {
  Install: { Install: what },
  Upgrade: { Upgrade: { ...what, prev_helm_chart_id: null, config_delta: null } },
  Reinstall: { Reinstall: { reason: 'why' } },
  Recreate: { Recreate: place },
  Uninstall: { Uninstall: {} },
} satisfies Record<string, TaskOperation>;

const states = {
  installed: { enabled: true, deleting: false, revision_id: 'r1' },
  'not installed': { enabled: true, deleting: false, revision_id: null },
  'disabled, still installed': { enabled: false, deleting: false, revision_id: 'r1' },
  disabled: { enabled: false, deleting: false, revision_id: null },
  'being deleted': { enabled: true, deleting: true, revision_id: 'r1' },
};

describe('whyMoot', () => {
  test('a task runs, or is canceled with why, by the state of its deployment when its turn comes', () => {
    const rows = Object.entries(states).flatMap(([state, deployment]) =>
      Object.entries(operations).map(
        ([name, operation]) => `${state} | ${name} | ${whyMoot({ operation, change: null }, deployment) ?? 'runs'}`,
      ),
    );

    expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot();
  });

  test('a scheduled change is made, or is canceled with why, by the state of its deployment when its turn comes', () => {
    const { Install, Upgrade, Uninstall } = operations;
    const rows = Object.entries(states).flatMap(([state, deployment]) =>
      Object.entries({ Install, Upgrade, Uninstall }).map(
        ([name, operation]) => `${state} | ${name} | ${whyMoot({ operation, change: {} }, deployment) ?? 'is made'}`,
      ),
    );

    expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot();
  });
});

import type { TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { describe, expect, test } from 'vitest';
import type { OpenTask } from '../../records/open-task.ts';
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
  test('the state of a deployment decides whether a due task runs, or why it is canceled', () => {
    const rows = Object.entries(states).flatMap(([state, deployment]) =>
      Object.entries(operations).map(
        ([name, operation]) =>
          `${state} | ${name} | ${whyMoot({ id: 't', operation, change: null }, deployment, []) ?? 'runs'}`,
      ),
    );

    expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      installed | Install | runs
      installed | Upgrade | runs
      installed | Reinstall | runs
      installed | Recreate | runs
      installed | Uninstall | runs
      not installed | Install | runs
      not installed | Upgrade | runs
      not installed | Reinstall | Nothing is installed, so there is nothing to reinstall
      not installed | Recreate | runs
      not installed | Uninstall | runs
      disabled, still installed | Install | The deployment was disabled meanwhile
      disabled, still installed | Upgrade | The deployment was disabled meanwhile
      disabled, still installed | Reinstall | The deployment was disabled meanwhile
      disabled, still installed | Recreate | runs
      disabled, still installed | Uninstall | runs
      disabled | Install | The deployment was disabled meanwhile
      disabled | Upgrade | The deployment was disabled meanwhile
      disabled | Reinstall | The deployment was disabled meanwhile
      disabled | Recreate | runs
      disabled | Uninstall | runs
      being deleted | Install | The deployment is being deleted
      being deleted | Upgrade | The deployment is being deleted
      being deleted | Reinstall | The deployment is being deleted
      being deleted | Recreate | runs
      being deleted | Uninstall | runs
      "
    `);
  });

  test('the state of a deployment decides whether a due scheduled change is made, or why it is canceled', () => {
    const { Install, Upgrade, Uninstall } = operations;
    const rows = Object.entries(states).flatMap(([state, deployment]) =>
      Object.entries({ Install, Upgrade, Uninstall }).map(
        ([name, operation]) =>
          `${state} | ${name} | ${whyMoot({ id: 't', operation, change: {} }, deployment, []) ?? 'is made'}`,
      ),
    );

    expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      installed | Install | The deployment is enabled already
      installed | Upgrade | is made
      installed | Uninstall | is made
      not installed | Install | The deployment is enabled already
      not installed | Upgrade | is made
      not installed | Uninstall | is made
      disabled, still installed | Install | is made
      disabled, still installed | Upgrade | The deployment is disabled
      disabled, still installed | Uninstall | The deployment is disabled
      disabled | Install | is made
      disabled | Upgrade | The deployment is disabled
      disabled | Uninstall | The deployment is disabled
      being deleted | Install | The deployment is enabled already
      being deleted | Upgrade | is made
      being deleted | Uninstall | is made
      "
    `);
  });

  test.for<[string, Pick<OpenTask, 'id' | 'effect' | 'is_scheduled'>[], string | null]>([
    ['a later change', [{ id: 'u', effect: 'installs', is_scheduled: false }], 'The deployment was changed'],
    ['a later scheduled change', [{ id: 'u', effect: 'installs', is_scheduled: true }], null],
    ['a later Reinstall', [{ id: 'u', effect: 'repeats', is_scheduled: false }], null],
  ])('a scheduled change is canceled only if an unscheduled change is queued behind it: %s', ([, behind, why]) => {
    const task = { id: 't', effect: 'installs', is_scheduled: true } as const;
    const earlier = { id: 's', effect: 'removes', is_scheduled: false } as const;
    const moot = whyMoot({ id: 't', operation: operations.Upgrade, change: {} }, states.installed, [
      earlier,
      task,
      ...behind,
    ]);

    expect(moot?.slice(0, 26) ?? null).toBe(why);
  });
});

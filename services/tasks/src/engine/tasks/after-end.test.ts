import type { TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { describe, expect, test } from 'vitest';
import { sampleDeployment } from '../../../test/support/sample-deployment.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { afterCancelPending, afterEnd, type Ending } from './after-end.ts';
import { variantOf } from '../../records/variant.ts';

const what = { helm_chart_id: 'h1', config_inputs: {}, values_override: null };
const place = { old_cluster_id: 'c1', old_namespace: 'web-a', new_cluster_id: 'c1', new_namespace: 'web-b' };
const operations = {
  install: { Install: what },
  upgrade: { Upgrade: { ...what, prev_helm_chart_id: null, config_delta: null } },
  reinstall: { Reinstall: { reason: 'why' } },
  recreate: { Recreate: place },
  uninstall: { Uninstall: {} },
  restart: { RestartK8sResource: { resource_id: 'r1', resource_name: 'web' } },
} satisfies Record<string, TaskOperation>;

const installed: DeploymentRecord = {
  ...sampleDeployment,
  state: 'Upgrading',
  revision_id: 'older',
  installed_cluster_id: 'c1',
  installed_namespace: 'web-a',
};
const done: Ending = { outcome: 'Done', reason: null };
const failed: Ending = { outcome: 'Failed', reason: 'no space' };
const canceled: Ending = { outcome: 'Canceled', reason: 'too slow' };
const before = { state: 'Running', reason: 'why' } as const;
const undo = { name: 'a', cluster_id: 'c1', env_id: 'e1', namespace: 'web-a', before };
const started = { undo: null, helm_fence: 7, first_attempted_at: '2026-01-01T00:00:00.000Z' };
const ended = { id: 't1', deletes_deployment: false, ...started };
const goneFields = { installed_cluster_id: null, installed_namespace: null, revision_id: null };

describe('afterEnd', () => {
  test.for<[string, TaskOperation, Ending, boolean, Partial<DeploymentRecord>]>([
    [
      'after an Install, its run is the revision',
      operations.install,
      done,
      false,
      { state: 'Running', revision_id: 't1' },
    ],
    [
      'after an Upgrade, its run is the revision',
      operations.upgrade,
      done,
      false,
      { state: 'Running', revision_id: 't1', reason: null },
    ],
    ['a Reinstall keeps the revision', operations.reinstall, done, false, { state: 'Running', revision_id: 'older' }],
    [
      'after an Uninstall, nothing is installed',
      operations.uninstall,
      done,
      false,
      { state: 'Uninstalled', ...goneFields },
    ],
    ['a Recreate continues with its Upgrade', operations.recreate, done, true, { state: 'Renaming', ...goneFields }],
    [
      'a Recreate without an Upgrade after it leads to Error',
      operations.recreate,
      done,
      false,
      { state: 'Error', reason: expect.stringContaining('retry it'), ...goneFields },
    ],
    [
      'a failure names the operation and the cause',
      operations.upgrade,
      failed,
      false,
      { state: 'Error', reason: 'Upgrade failed: no space', installed_namespace: 'web-a', revision_id: 'older' },
    ],
    [
      'a canceled run tells the user what to do',
      operations.install,
      canceled,
      false,
      { state: 'Error', reason: 'Install was canceled while it ran: too slow. Retry it, or change the deployment' },
    ],
  ])('%s', ([, operation, ending, isFollowed, expected]) => {
    expect(afterEnd(installed, { ...ended, operation }, ending, isFollowed)).toMatchObject(expected);
  });

  test.for<[string, boolean, Partial<DeploymentRecord>]>([
    ['after its deletion failed, a deployment is no longer being deleted', true, { deleting: false, state: 'Error' }],
    ['a task that fails before a deletion does not end the deletion', false, { deleting: true, state: 'Error' }],
  ])('%s', ([, deletes_deployment, expected]) => {
    const task = { ...ended, operation: operations.uninstall, deletes_deployment };

    expect(afterEnd({ ...installed, deleting: true }, task, failed, false)).toMatchObject(expected);
  });

  test.for<[string, number, Ending, Partial<DeploymentRecord>]>([
    ['before it removed anything returns the deployment to its earlier state', 0, canceled, before],
    ['after Helm had begun leads to Error', 7, canceled, { state: 'Error' }],
  ])('a Recreate that is canceled %s', ([, helm_fence, ending, expected]) => {
    const task = { ...ended, operation: operations.recreate, undo, helm_fence };

    expect(afterEnd({ ...installed, state: 'Renaming' }, task, ending, false)).toMatchObject(expected);
  });

  test('a Recreate that fails before it removed anything leads to Error', () => {
    const task = { ...ended, operation: operations.recreate, undo, helm_fence: 0 };

    expect(afterEnd({ ...installed, state: 'Renaming' }, task, failed, false)).toMatchObject({ state: 'Error' });
  });

  test('an operation that does not touch the release leaves the deployment unchanged', () => {
    expect(afterEnd(installed, { ...ended, operation: operations.restart }, failed, false)).toEqual(installed);
  });
});

describe('afterCancelPending', () => {
  const pending = (operation: TaskOperation, first_attempted_at: string | null = null, deletes_deployment = false) => ({
    variant: variantOf(operation),
    first_attempted_at,
    deletes_deployment,
    undo: null,
    helm_fence: 0,
  });
  type Others = Parameters<typeof afterCancelPending>[2];
  const running: DeploymentRecord = { ...installed, state: 'Running' };

  test.for<[string, DeploymentRecord, Parameters<typeof afterCancelPending>[1], Others, Partial<DeploymentRecord>]>([
    [
      'canceling an Upgrade before it ran leaves the installed release',
      running,
      pending(operations.upgrade),
      [],
      { state: 'Running', reason: null },
    ],
    [
      'canceling it between two attempts leads to Error',
      { ...installed, state: 'Installing' },
      pending(operations.install, '2026-01-01T00:00:00.000Z'),
      [],
      { state: 'Error', reason: expect.stringContaining('retry it') },
    ],
    [
      'canceling the Upgrade of a finished Recreate leads to Error',
      { ...installed, state: 'Renaming' },
      pending(operations.upgrade),
      [],
      { state: 'Error', reason: expect.stringContaining('retry it') },
    ],
    [
      'canceling the Upgrade of a Recreate that has not finished changes nothing',
      { ...installed, state: 'Renaming' },
      pending(operations.upgrade),
      [{ first_attempted_at: '2026-01-01T00:00:00.000Z', deploys: false }],
      { state: 'Renaming' },
    ],
    [
      'canceling a second Recreate leaves the Upgrade of the first one, which is done, to follow',
      { ...installed, state: 'Renaming' },
      { ...pending(operations.recreate), undo },
      [{ first_attempted_at: null, deploys: true }],
      { state: 'Renaming' },
    ],
    [
      'canceling a Recreate that removed nothing so far leaves the installed release',
      { ...installed, state: 'Renaming' },
      { ...pending(operations.recreate, '2026-01-01T00:00:00.000Z'), undo },
      [],
      before,
    ],
    [
      'canceling a Recreate between two claims, one of which had begun, leads to Error',
      { ...installed, state: 'Renaming' },
      { ...pending(operations.recreate, '2026-01-01T00:00:00.000Z'), undo, helm_fence: 7 },
      [],
      { state: 'Error', reason: expect.stringContaining('retry it') },
    ],
    [
      'a canceled deletion leaves the deployment as it was',
      { ...running, deleting: true },
      pending(operations.uninstall, null, true),
      [],
      { state: 'Running', deleting: false },
    ],
  ])('%s', ([, deployment, task, others, expected]) => {
    expect(afterCancelPending(deployment, task, others)).toMatchObject(expected);
  });
});

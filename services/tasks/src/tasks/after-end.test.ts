import type { TaskOperation } from '@berth/shared/contracts/task-operation';
import { describe, expect, test } from 'vitest';
import { sampleDeployment } from '../../test/sample-deployment.ts';
import type { DeploymentRecord } from '../deployments/deployment-record.ts';
import { afterCancelPending, afterEnd, type Ending } from './after-end.ts';

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
const goneFields = { installed_cluster_id: null, installed_namespace: null, revision_id: null };

describe('afterEnd', () => {
  test.for<[string, TaskOperation, Ending, boolean, Partial<DeploymentRecord>]>([
    ['an Install that is done is what runs', operations.install, done, false, { state: 'Running', revision_id: 't1' }],
    ['so is an Upgrade', operations.upgrade, done, false, { state: 'Running', revision_id: 't1', reason: null }],
    ['a Reinstall keeps the revision', operations.reinstall, done, false, { state: 'Running', revision_id: 'older' }],
    ['an Uninstall leaves nothing', operations.uninstall, done, false, { state: 'Uninstalled', ...goneFields }],
    ['a Recreate goes on with its Upgrade', operations.recreate, done, true, { state: 'Upgrading', ...goneFields }],
    [
      'a Recreate with nothing behind it is an Error',
      operations.recreate,
      done,
      false,
      { state: 'Error', reason: expect.stringContaining('retry it'), ...goneFields },
    ],
    [
      'a failure tells what failed and why',
      operations.upgrade,
      failed,
      false,
      { state: 'Error', reason: 'Upgrade failed: no space', installed_namespace: 'web-a', revision_id: 'older' },
    ],
    [
      'a canceled run tells what to do',
      operations.install,
      canceled,
      false,
      { state: 'Error', reason: 'Install was canceled while it ran: too slow. Retry it, or change the deployment' },
    ],
  ])('%s', ([, operation, ending, isFollowed, expected]) => {
    expect(afterEnd(installed, { id: 't1', operation }, ending, isFollowed)).toMatchObject(expected);
  });

  test('a failed deletion is none any more', () => {
    const deleting = { ...installed, deleting: true };

    expect(afterEnd(deleting, { id: 't1', operation: operations.uninstall }, failed, false)).toMatchObject({
      deleting: false,
      state: 'Error',
    });
  });

  test('what does not touch the release does not touch the deployment', () => {
    expect(afterEnd(installed, { id: 't1', operation: operations.restart }, failed, false)).toEqual(installed);
  });
});

describe('afterCancelPending', () => {
  const pending = (operation: TaskOperation, attempts = 0, deletes_deployment = false) => ({
    operation,
    attempts,
    deletes_deployment,
  });
  const running: DeploymentRecord = { ...installed, state: 'Running' };

  test.for<[string, DeploymentRecord, ReturnType<typeof pending>, boolean, Partial<DeploymentRecord>]>([
    ['an Upgrade leaves what runs', running, pending(operations.upgrade), false, { state: 'Running', reason: null }],
    [
      'an Install tells that nothing is installed',
      { ...sampleDeployment },
      pending(operations.install),
      false,
      { state: 'Unknown', reason: expect.stringContaining('not installed') },
    ],
    [
      'between two attempts it is an Error',
      { ...installed, state: 'Installing' },
      pending(operations.install, 1),
      false,
      { state: 'Error', reason: expect.stringContaining('retry it') },
    ],
    [
      'the Upgrade of a Recreate that has run is missed',
      { ...installed, state: 'Renaming' },
      pending(operations.upgrade),
      false,
      { state: 'Error', reason: expect.stringContaining('retry it') },
    ],
    [
      'the Upgrade of a Recreate that runs is not missed yet',
      { ...installed, state: 'Renaming' },
      pending(operations.upgrade),
      true,
      { state: 'Renaming' },
    ],
    [
      'a deletion is taken back',
      { ...running, deleting: true },
      pending(operations.uninstall, 0, true),
      false,
      { state: 'Running', deleting: false },
    ],
  ])('%s', ([, deployment, task, isRunning, expected]) => {
    expect(afterCancelPending(deployment, task, isRunning)).toMatchObject(expected);
  });
});

import { describe, expect, test } from 'vitest';
import { sampleDeployment } from '../../../test/support/sample-deployment.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { deployRun } from '../operations/deploys.ts';
import { startOf } from './start-of.ts';

const renamed: DeploymentRecord = { ...sampleDeployment, name: 'b', namespace: 'web-b' };
const leftBehind: DeploymentRecord = { ...renamed, installed_cluster_id: 'c1', installed_namespace: 'web-a' };
const uninstall = { operation: { Uninstall: {} }, run: null };
const reinstall = { operation: { Reinstall: { reason: 'why' } }, run: null };
const install = { operation: { Install: { helm_chart_id: 'h1', config_inputs: {}, values_override: null } } };
const recreate = {
  operation: {
    Recreate: { old_cluster_id: 'c0', old_namespace: 'web-0', new_cluster_id: 'c1', new_namespace: 'web-b' },
  },
  run: null,
};
const revision = deployRun(sampleDeployment, 'Web');

describe('startOf', () => {
  test('a task runs its snapshot, even if the deployment has changed since', () => {
    expect(startOf({ ...install, run: revision }, renamed, null)).toEqual({ run: revision });
  });

  test.for<[string, Parameters<typeof startOf>[0], DeploymentRecord, string, string]>([
    ['an Uninstall removes the installed release', uninstall, leftBehind, 'c1', 'web-a'],
    ["an Uninstall without a release runs at the deployment's place", uninstall, renamed, 'c1', 'web-b'],
    ['a Recreate removes the installed release', recreate, leftBehind, 'c1', 'web-a'],
    ['a Recreate without a release runs at the old place', recreate, renamed, 'c0', 'web-0'],
  ])('%s', ([, task, deployment, cluster_id, namespace]) => {
    expect(startOf(task, deployment, null)).toMatchObject({ run: { action: 'uninstall', cluster_id, namespace } });
  });

  test('a Reinstall repeats the revision', () => {
    expect(startOf(reinstall, leftBehind, revision)).toEqual({ run: revision });
  });

  test('while a release is left behind elsewhere, nothing is installed', () => {
    const { operation } = install;
    const left = { impossible: expect.stringContaining('left behind in namespace web-a') };

    expect(startOf({ operation, run: deployRun(renamed, 'Web') }, leftBehind, null)).toEqual(left);
    const elsewhere = deployRun({ ...sampleDeployment, cluster_id: 'c2' }, 'Web');
    expect(startOf({ operation, run: elsewhere }, leftBehind, null)).toEqual(left);
    expect(startOf({ operation, run: revision }, leftBehind, null)).toEqual({ run: revision });
  });

  test('a release whose name is too long for Helm is neither installed nor moved', () => {
    const long = { ...renamed, namespace: `web-${'x'.repeat(50)}` };
    const refused = { impossible: expect.stringContaining('at most 53: rename the deployment') };
    const { operation } = install;
    const from = recreate.operation.Recreate;

    expect(startOf({ operation, run: deployRun(long, 'Web') }, long, null)).toEqual(refused);
    const moving = { operation: { Recreate: { ...from, new_namespace: long.namespace } }, run: null };
    expect(startOf(moving, long, null)).toEqual(refused);
    const away = { operation: { Recreate: { ...from, old_namespace: long.namespace } }, run: null };
    expect(startOf(away, long, null)).toHaveProperty('run');
    expect(startOf(uninstall, long, null)).toHaveProperty('run');
  });

  test('a Reinstall of an unknown revision is impossible', () => {
    expect(startOf(reinstall, leftBehind, null)).toHaveProperty('impossible');
  });
});

import { describe, expect, test } from 'vitest';
import { sampleDeployment } from '../../../test/support/sample-deployment.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { healPlan } from './heal-plan.ts';
import type { Variant } from '../../records/variant.ts';

const fresh = sampleDeployment;
const inPlace: DeploymentRecord = { ...fresh, installed_cluster_id: 'c1', installed_namespace: 'web-a' };
const leftBehind: DeploymentRecord = { ...inPlace, installed_namespace: 'web-old' };
const uninstall = { effect: 'removes', is_scheduled: false } as const;
const scheduled = { effect: 'removes', is_scheduled: true } as const;

describe('healPlan', () => {
  test.for<[string, Variant[], DeploymentRecord, Parameters<typeof healPlan>[2], Variant[]]>([
    ['leaves the plan where nothing is installed', ['Install'], fresh, [], ['Install']],
    ['leaves the plan where the release is in its place', ['Upgrade'], inPlace, [], ['Upgrade']],
    ['first removes a release that was left behind', ['Upgrade'], leftBehind, [], ['Recreate', 'Upgrade']],
    ['removes it before an Install, too', ['Install'], leftBehind, [], ['Recreate', 'Install']],
    ['but not twice', ['Recreate', 'Upgrade'], leftBehind, [], ['Recreate', 'Upgrade']],
    ['leaves the plan while an open task is removing the release', ['Install'], leftBehind, [uninstall], ['Install']],
    [
      'removes the release if its removal is only scheduled',
      ['Install'],
      leftBehind,
      [scheduled],
      ['Recreate', 'Install'],
    ],
    ['leaves plans that install nothing', ['Uninstall'], leftBehind, [], ['Uninstall']],
  ])('%s', ([, plan, deployment, open, healed]) => {
    expect(healPlan(plan, deployment, open)).toEqual(healed);
  });
});

import { expect, test } from 'vitest';
import { CliFailure } from '../../failure/cli-failure.ts';
import { changeOf, deploymentMeant, deploysThis } from './deploy-decisions.ts';

const onA = { id: 'web-on-a', cluster_id: 'a' };
const onB = { id: 'web-on-b', cluster_id: 'b' };
const several = /^2 deployments are named web: (?:give --cluster|delete one)\D+web-on-a on cluster a/s;
const refused = expect.stringMatching(several);

test.for([
  { found: [], cluster: null, move: false, meant: null },
  { found: [], cluster: 'a', move: false, meant: null },
  { found: [onA], cluster: null, move: false, meant: onA },
  { found: [onA], cluster: 'a', move: false, meant: onA },
  { found: [onA], cluster: 'b', move: false, meant: null },
  { found: [onA], cluster: 'b', move: true, meant: onA },
  { found: [onA, onB], cluster: null, move: false, meant: refused },
  { found: [onA, onB], cluster: 'b', move: false, meant: onB },
  { found: [onA, onB], cluster: 'b', move: true, meant: onB },
  { found: [onA, onB], cluster: 'c', move: false, meant: null },
  { found: [onA, onB], cluster: 'c', move: true, meant: refused },
])('--cluster $cluster with move $move means the right one of $found.length deployments, or a new one', (one) => {
  expect(meantOf(one)).toEqual(one.meant);
});

function meantOf({ found, cluster, move }: { found: (typeof onA)[]; cluster: string | null; move: boolean }) {
  try {
    return deploymentMeant(found, { name: 'web', clusterId: cluster }, { move });
  } catch (error) {
    return error instanceof CliFailure ? error.message : error;
  }
}

const present = { helm_chart_id: 'v1', config: { replicas: 1 }, cluster_id: 'a', enabled: true };
const same = { name: 'web', chartId: 'v1', config: { replicas: 1 }, clusterId: null };

test('a change has the fields that differ from the wanted ones, and no others', () => {
  expect(changeOf(present, same, { enable: false })).toEqual({});
  expect(changeOf(present, { ...same, chartId: 'v2' }, { enable: false })).toEqual({ helm_chart_id: 'v2' });
  expect(changeOf(present, { ...same, config: {} }, { enable: false })).toEqual({ config: {} });
  expect(changeOf(present, { ...same, clusterId: 'b' }, { enable: false })).toEqual({ cluster_id: 'b' });
});

test('a disabled deployment is enabled only by the flag', () => {
  const disabled = { ...present, enabled: false };

  for (const wanted of [same, { ...same, chartId: 'v2' }])
    expect(() => changeOf(disabled, wanted, { enable: false })).toThrow(/disabled.*--enable/);
  expect(changeOf(disabled, same, { enable: true })).toEqual({ enabled: true });
  expect(changeOf(present, same, { enable: true })).toEqual({});
});

const content = { helm_chart_id: 'v1', config_inputs: { replicas: 1 }, values_override: null };

test.for([
  ['the install of it', { Install: content }, true],
  ['an upgrade to it', { Upgrade: { ...content, prev_helm_chart_id: null, config_delta: null } }, true],
  ['an install of another chart', { Install: { ...content, helm_chart_id: 'v2' } }, false],
  ['an install with other inputs', { Install: { ...content, config_inputs: {} } }, false],
  ['a reinstall', { Reinstall: { reason: 'a secret changed' } }, true],
  ['an uninstall', { Uninstall: {} }, false],
  ['an action', { InvokeAction: { helm_chart_id: 'v1', action_id: 'seed', body: null } }, false],
  ['a restart', { RestartK8sResource: { resource_id: 'pod', resource_name: 'pod' } }, false],
] as const)('%s is a deploy of a chart and inputs: %o is %s', ([, operation, is]) => {
  expect(deploysThis({ operation }, same)).toBe(is);
});

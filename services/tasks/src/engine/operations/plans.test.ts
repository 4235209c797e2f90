import { describe, expect, test } from 'vitest';
import { planUpdate } from './plans.ts';

const on = {
  enabled: true,
  name: 'blue',
  cluster_id: 'c1',
  helm_chart_id: 'h1',
  config: { replicas: 1 },
  values_override: null,
};
const off = { ...on, enabled: false };

describe('planUpdate', () => {
  test.for([
    ['does nothing if nothing changed', on, { ...on, config: { replicas: 1 } }, []],
    ['installs when enabled', off, on, ['Install']],
    [
      'installs once if other fields change with enabling',
      off,
      { ...on, name: 'green', helm_chart_id: 'h2' },
      ['Install'],
    ],
    ['uninstalls when disabled', on, off, ['Uninstall']],
    ['only uninstalls if other fields change with disabling', on, { ...off, name: 'green' }, ['Uninstall']],
    ['recreates, then upgrades on a rename', on, { ...on, name: 'green' }, ['Recreate', 'Upgrade']],
    ['recreates, then upgrades on a move', on, { ...on, cluster_id: 'c2' }, ['Recreate', 'Upgrade']],
    ['upgrades on another chart', on, { ...on, helm_chart_id: 'h2' }, ['Upgrade']],
    ['upgrades on another config', on, { ...on, config: { replicas: 2 } }, ['Upgrade']],
    ['upgrades on another override', on, { ...on, values_override: {} }, ['Upgrade']],
    ['changes only the row of a disabled deployment', off, { ...off, name: 'green', config: {} }, []],
  ] as const)('%s', ([, before, after, plan]) => {
    expect(planUpdate(before, after)).toEqual(plan);
  });
});

import { describe, expect, test } from 'vitest';
import type { Observed } from '../release/observe-release.ts';
import { nextAction } from './next-action.ts';

const deploy = { action: 'deploy', taskId: 'this' } as const;
const uninstall = { action: 'uninstall', taskId: 'this' } as const;
const release = (status: string, taskId: string | null = 'earlier'): Observed => ({ status, taskId, fence: 1 });

describe('nextAction', () => {
  test.for([
    ['deploys a release that is absent', deploy, { status: 'absent' }, 'deploy'],
    ['deploys over what an earlier task has deployed', deploy, release('deployed'), 'deploy'],
    ['deploys over a failed release', deploy, release('failed'), 'deploy'],
    ['adopts what this very task has deployed', deploy, release('deployed', 'this'), 'adopt'],
    ['deploys again where this very task has failed', deploy, release('failed', 'this'), 'deploy'],
    ['unlocks a release whose install was cut off', deploy, release('pending-install'), 'unlock'],
    ['unlocks a release whose upgrade was cut off', deploy, release('pending-upgrade', 'this'), 'unlock'],
    ['unlocks a release whose rollback was cut off', deploy, release('pending-rollback'), 'unlock'],
    ['unlocks a release whose uninstall was cut off', deploy, release('uninstalling'), 'unlock'],
    ['leaves a release alone that it cannot read', deploy, { status: 'unreadable' }, 'refuse'],
    ['uninstalls what is there', uninstall, release('deployed'), 'uninstall'],
    ['uninstalls what is stuck', uninstall, release('pending-upgrade'), 'uninstall'],
    ['goes on with an uninstall that was cut off', uninstall, release('uninstalling'), 'uninstall'],
    ['has nothing to uninstall where nothing is', uninstall, { status: 'absent' }, 'nothing'],
  ] as const)('%s', ([, desired, observed, action]) => {
    expect(nextAction(desired, observed)).toBe(action);
  });
});

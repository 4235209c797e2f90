import { describe, expect, test } from 'vitest';
import type { Observed } from '../release/observe-release.ts';
import { nextAction } from './next-action.ts';

const deploy = { action: 'deploy', taskId: 'this' } as const;
const uninstall = { action: 'uninstall', taskId: 'this' } as const;
const release = (status: string, taskId: string | null = 'earlier'): Observed => ({ status, taskId, fence: 1 });

describe('nextAction', () => {
  test.for([
    ['deploys a release that is absent', deploy, { status: 'absent' }, 'deploy'],
    ['deploys over the release of an earlier task', deploy, release('deployed'), 'deploy'],
    ['deploys over a failed release', deploy, release('failed'), 'deploy'],
    ['adopts a release that this task has deployed', deploy, release('deployed', 'this'), 'adopt'],
    ['deploys again over a failed release of this task', deploy, release('failed', 'this'), 'deploy'],
    ['unlocks a release whose install was interrupted', deploy, release('pending-install'), 'unlock'],
    ['unlocks a release whose upgrade was interrupted', deploy, release('pending-upgrade', 'this'), 'unlock'],
    ['unlocks a release whose rollback was interrupted', deploy, release('pending-rollback'), 'unlock'],
    ['unlocks a release whose uninstall was interrupted', deploy, release('uninstalling'), 'unlock'],
    ['refuses a release that it cannot read', deploy, { status: 'unreadable', reason: 'why' }, 'refuse'],
    ['uninstalls a deployed release', uninstall, release('deployed'), 'uninstall'],
    ['uninstalls a release that an interrupted upgrade left', uninstall, release('pending-upgrade'), 'uninstall'],
    ['continues an interrupted uninstall', uninstall, release('uninstalling'), 'uninstall'],
    ['has nothing to do for an absent release', uninstall, { status: 'absent' }, 'nothing'],
  ] as const)('%s', ([, desired, observed, action]) => {
    expect(nextAction(desired, observed)).toBe(action);
  });
});

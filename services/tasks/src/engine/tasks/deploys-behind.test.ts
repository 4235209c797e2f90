import { describe, expect, test } from 'vitest';
import { deploysBehind } from './deploys-behind.ts';

const task = { status: 'Pending' as const, deploys: false };
const deploy = { ...task, deploys: true };
const place = { old_cluster_id: 'c1', old_namespace: 'web-a', new_cluster_id: 'c1', new_namespace: 'web-b' };
const move = { Recreate: place };
const open = [
  { ...deploy, id: 'running', status: 'Started' as const },
  { ...deploy, id: 'before' },
  { ...task, id: 'recreate' },
  { ...deploy, id: 'behind' },
  { ...task, id: 'reinstall' },
  { ...deploy, id: 'last' },
];

describe('deploysBehind', () => {
  test.for([
    ['are the deploys after the task', 'recreate', ['behind', 'last']],
    ['are all open deploys if the task is over', 'another', ['before', 'behind', 'last']],
  ] as const)('%s', ([, id, behind]) => {
    expect(deploysBehind(open, { id, operation: move })).toEqual(behind);
  });

  test('are empty for a task that is not a move', () => {
    expect(deploysBehind(open, { id: 'before', operation: { Uninstall: {} } })).toEqual([]);
  });
});

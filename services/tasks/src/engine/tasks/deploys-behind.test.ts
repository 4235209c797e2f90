import { describe, expect, test } from 'vitest';
import { deploysBehind } from './deploys-behind.ts';

const task = { status: 'Pending' as const, deploys: false };
const deploy = { ...task, deploys: true };
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
    ['are those after it', 'recreate', ['behind', 'last']],
    ['are all that wait where it is over', 'another', ['before', 'behind', 'last']],
  ] as const)('%s', ([, id, behind]) => {
    expect(deploysBehind(open, { id })).toEqual(behind);
  });
});

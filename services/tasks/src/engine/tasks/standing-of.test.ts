import { expect, test } from 'vitest';
import { standingOf } from './standing-of.ts';

test.for([
  ['the latest claim of a started task', { fence: 7, status: 'Started', acknowledged_fence: null }, 'current'],
  ['a claim that was followed by another one', { fence: 9, status: 'Started', acknowledged_fence: null }, 'lost'],
  ['a claim whose outcome ended the task', { fence: 7, status: 'Done', acknowledged_fence: 7 }, 'acknowledged'],
  ['a claim whose outcome put the task back', { fence: 7, status: 'Pending', acknowledged_fence: 7 }, 'acknowledged'],
  ['a claim that was taken back', { fence: 7, status: 'Pending', acknowledged_fence: null }, 'lost'],
  ['a claim before the one that ended the task', { fence: 9, status: 'Done', acknowledged_fence: 9 }, 'lost'],
] as const)('%s', ([, task, expected]) => {
  expect(standingOf(task, 7)).toBe(expected);
});

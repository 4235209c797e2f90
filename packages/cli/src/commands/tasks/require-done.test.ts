import type { DeploymentTask } from '@berth/client';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../../failure/exit-code-of.ts';
import { failureText } from '../../failure/failure-text.ts';
import { requireDone } from './require-done.ts';

const outcomeOf = (status: DeploymentTask['status']): [number, string] => {
  try {
    requireDone({ id: 'a', status, reason: 'the hook failed' });
    return [0, ''];
  } catch (error) {
    return [exitCodeOf(error), failureText(error)];
  }
};

test('the exit code is 0 for a done task, 1 for a failed one and 130 for a cancelled one, with the reason', () => {
  expect([outcomeOf('Done'), outcomeOf('Failed'), outcomeOf('Canceled')]).toEqual([
    [0, ''],
    [1, 'berth: task a failed: the hook failed'],
    [130, 'berth: task a was cancelled: the hook failed'],
  ]);
});

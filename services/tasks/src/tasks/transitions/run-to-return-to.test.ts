import { AppError } from '@berth/contracts/errors';
import { describe, expect, test } from 'vitest';
import { type EarlierTask, runToReturnTo } from './run-to-return-to.ts';

const run = {
  action: 'deploy',
  cluster_id: 'c1',
  namespace: 'web-a',
  deployment_name: 'a',
  kind: 'Web',
  helm_chart_id: 'h1',
  config: { replicas: 1 },
  values_override: null,
} as const;
const install = { Install: { helm_chart_id: 'h1', config_inputs: {}, values_override: null } };
const task: EarlierTask = { deployment_id: 'd1', operation: install, status: 'Done', run };

describe('a rollback', () => {
  test('a rollback returns to the run of any task that is Done, even a Reinstall', () => {
    expect(runToReturnTo({ id: 'd1' }, task)).toBe(run);
    expect(runToReturnTo({ id: 'd1' }, { ...task, operation: { Reinstall: { reason: 'x' } } })).toBe(run);
  });

  test.for<[string, EarlierTask | null, string, string]>([
    ['that the caller does not see', null, 'unprocessable', 'body.task_id: no such deployment task'],
    ['of another deployment', { ...task, deployment_id: 'd2' }, 'unprocessable', 'is a task of another deployment'],
    ['that is Pending', { ...task, status: 'Pending' }, 'conflict', 'The task is Pending'],
    ['that is Started', { ...task, status: 'Started' }, 'conflict', 'The task is Started'],
    ['that is Failed', { ...task, status: 'Failed' }, 'conflict', 'The task is Failed'],
    ['that is Canceled', { ...task, status: 'Canceled' }, 'conflict', 'The task is Canceled'],
    ['whose inputs are gone', { ...task, run: null }, 'unprocessable', 'its inputs are no longer kept'],
    [
      'that installed nothing',
      { ...task, operation: { Uninstall: {} }, run: null },
      'unprocessable',
      'installed nothing',
    ],
  ])('returning to a task %s is refused', ([, earlier, code, words]) => {
    const refused = () => runToReturnTo({ id: 'd1' }, earlier);

    expect(refused).toThrow(AppError);
    expect(refused).toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }));
  });
});

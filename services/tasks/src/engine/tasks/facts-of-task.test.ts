import type { Fact } from '@berth/contracts/resources/deployments/why';
import { expect, test } from 'vitest';
import { type ExplainedTask, factsOfTask } from './facts-of-task.ts';
import { notStarted } from './wait-reason.ts';

const [then, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'];
const task: ExplainedTask = {
  id: 't1',
  status: 'Started',
  operation: { Uninstall: {} },
  reason: null,
  started_at: then,
  finished_at: null,
  awaits_readiness: false,
  cancel_requested_at: null,
  cancel_reason: null,
};

test.for<[string, Partial<ExplainedTask>, [Fact['kind'], string | null, string][]]>([
  ['runs', {}, [['task_runs', then, 'Uninstall is under way']]],
  ['waits for something while it runs', { reason: 'Waiting for Pod a' }, [['task_runs', then, 'Waiting for Pod a']]],
  [
    'only awaits readiness',
    { awaits_readiness: true, reason: 'Waiting for Deployment web' },
    [['awaits_readiness', then, 'Waiting for Deployment web']],
  ],
  [
    'is to stop',
    { cancel_requested_at: later, cancel_reason: 'too slow' },
    [
      ['cancellation', later, 'too slow'],
      ['task_runs', then, 'Uninstall is under way'],
    ],
  ],
  ['is done', { status: 'Done', finished_at: later }, [['task_done', later, 'Uninstall is done']]],
  ['failed', { status: 'Failed', finished_at: later, reason: 'no' }, [['task_failed', later, 'no']]],
  [
    'was canceled without a reason',
    { status: 'Canceled', finished_at: later },
    [['task_canceled', later, 'Uninstall was canceled']],
  ],
  ['is pending', { status: 'Pending', started_at: null }, [['no_free_runner', null, 'no free runner']]],
])('the facts of a task that %s', ([, fields, expected]) => {
  const facts = factsOfTask({ ...task, ...fields }, [notStarted({ is_new: false, waiting_before: 0 })]);

  expect(facts.map(({ kind, since, message }) => [kind, since, message])).toEqual(expected);
});

import { describe, expect, test } from 'vitest';
import { attentionOf } from './attention-of.ts';

const since = '2026-11-25T10:00:00.000Z';
const row = { enabled: true, status: 'Running', reason: null, health: null, revision_id: 't2' };
const health = (state: string, reason: string | null = null) => ({ state, since, reason, causes: [] });
const task = (id: string, status: string, operation = 'Upgrade') => ({
  id,
  status,
  operation: { [operation]: {} },
  finished_at: status === 'Started' ? null : since,
});
const newestFirst = [task('t3', 'Failed'), task('t2', 'Done'), task('t1', 'Done', 'Install')];
const of = (changes: object, tasks: object[] = newestFirst) =>
  attentionOf({ ...row, ...changes } as never, tasks as never);

describe('what needs attention', () => {
  test('is nothing if all is well', () => {
    expect(of({ health: health('Healthy') })).toBeNull();
  });

  test('after a failed task is its reason, with the last successful run to roll back to', () => {
    expect(of({ status: 'Error', reason: 'Task: timed out' })).toMatchObject({
      tone: 'bad',
      words: 'Task: timed out.',
      task: { id: 't3' },
      rollBackTo: { id: 't2' },
    });
  });

  test('for an unhealthy workload is its cause, with the previous run to roll back to', () => {
    expect(of({ health: health('Degraded', '2 of 3 pods crash') })).toMatchObject({
      tone: 'bad',
      words: '2 of 3 pods crash.',
      since,
      rollBackTo: { id: 't1' },
    });
  });

  test('for a silent cluster is a warning, without a rollback that could not run anyway', () => {
    expect(of({ health: health('Unknown', 'cluster eu-1 not reachable') })).toMatchObject({
      tone: 'warn',
      words: 'cluster eu-1 not reachable.',
      rollBackTo: undefined,
    });
  });

  test('for a running task is what it waits for', () => {
    expect(of({ status: 'Upgrading', reason: 'Task: waits for Deployment web' })).toMatchObject({ tone: 'busy' });
  });
});

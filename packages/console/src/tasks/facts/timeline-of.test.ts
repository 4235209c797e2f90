import type { DeploymentTask } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { type Fact, timelineOf } from './timeline-of.ts';

const names = { user: (id: string) => id, deployment: (id: string) => id };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds)).toISOString();
const task = (given: Partial<DeploymentTask>): DeploymentTask => ({
  id: 'task',
  created_at: at(0),
  execute_at: at(0),
  first_attempted_at: null,
  started_at: null,
  finished_at: null,
  cluster_id: 'cluster',
  deployment_id: 'deployment',
  acting_user_id: 'Ada',
  acting_deployment_id: null,
  canceled_by_user_id: null,
  canceled_by_deployment_id: null,
  operation: { Uninstall: {} },
  status: 'Pending',
  reason: null,
  attempts: 0,
  ...given,
});
const words = (given: DeploymentTask, facts: Fact[] = []) =>
  timelineOf(given, facts, names).map((step) => [step.words, step.detail].filter(Boolean).join(': '));

describe('the timeline of a task', () => {
  it('goes from the request to the end, with the duration of each part', () => {
    const done = {
      first_attempted_at: at(5),
      started_at: at(5),
      finished_at: at(65),
      status: 'Done',
      attempts: 1,
    } as const;
    expect(words(task(done))).toEqual(['Requested by Ada', 'Started: after a wait of 5 s', 'Done: took 1 min']);
  });

  it('says what a pending task waits for, and when a scheduled one is due', () => {
    const fact: Fact = { kind: 'platform_full', object: null, since: null, until: null, message: 'waiting for a slot' };
    const scheduled: Fact = { kind: 'scheduled', object: null, since: null, until: at(60), message: 'scheduled for …' };
    expect(words(task({}), [fact])).toEqual(['Requested by Ada', 'Waiting for a slot']);
    expect(words(task({ execute_at: at(60) }), [scheduled])).toEqual(['Requested by Ada', 'Scheduled']);
  });

  it('counts the wait of a scheduled task from the time at which it was due', () => {
    const started = { execute_at: at(60), first_attempted_at: at(63), started_at: at(63), status: 'Started' } as const;
    expect(words(task({ ...started, attempts: 1 }))).toContain('Started: after a wait of 3 s');
  });

  it('shortens an id that it links to', () => {
    const id = '0d96e0de-8610-4390-8cc9-9b87e9a64300';
    const object = { kind: 'deployment_task', id, name: null };
    const fact = { kind: 'earlier_task', object, since: null, until: null, message: `waiting for task ${id}` };
    expect(words(task({}), [fact])).toContain('Waiting for task 0d96e0de');
  });

  it('names later attempts', () => {
    const failed = {
      first_attempted_at: at(0),
      started_at: at(30),
      finished_at: at(45),
      status: 'Failed',
      attempts: 3,
    } as const;
    expect(words(task(failed))).toEqual([
      'Requested by Ada',
      'Started',
      'Attempt 3 started',
      'Failed: 3 attempts, took 45 s',
    ]);
  });

  it('names who canceled it, if somebody did', () => {
    const canceled = { finished_at: at(2), status: 'Canceled' } as const;
    expect(words(task({ ...canceled, canceled_by_user_id: 'Bob' })).at(-1)).toBe('Canceled by Bob');
    expect(words(task(canceled)).at(-1)).toBe('Canceled');
  });
});

import { expect, test } from 'vitest';
import { explainPods } from './explain-pods.ts';

const pod = (name: string, status: object) => ({ metadata: { name }, status });

test('pods that are ready or succeeded are not explained', () => {
  const ready = pod('a', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  expect(explainPods([ready, pod('b', { phase: 'Succeeded' })])).toEqual([]);
});

test('a pod whose container does not start is explained with its last exit', () => {
  const waiting = {
    name: 'web',
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 2, reason: 'Error' } },
  };
  expect(explainPods([pod('a', { containerStatuses: [waiting] })])).toEqual([
    'pod a: container web is waiting: CrashLoopBackOff, last exit code 2',
  ]);
});

test('a pod that cannot be scheduled is explained', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  expect(explainPods([pod('a', { conditions })])).toEqual(['pod a: unschedulable: 0/3 nodes are available']);
});

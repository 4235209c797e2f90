import { expect, test } from 'vitest';
import { explainPods } from './explain-pods.ts';

const pod = (name: string, status: object) => ({ metadata: { name }, status });

test('says nothing of pods that are ready or have done their work', () => {
  const ready = pod('a', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  expect(explainPods([ready, pod('b', { phase: 'Succeeded' })])).toEqual([]);
});

test('tells why a container does not start, and how it last ended', () => {
  const waiting = {
    name: 'web',
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 2, reason: 'Error' } },
  };
  expect(explainPods([pod('a', { containerStatuses: [waiting] })])).toEqual([
    'pod a: container web is waiting: CrashLoopBackOff, it last ended with code 2 (Error)',
  ]);
});

test('tells why a pod finds no node', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  expect(explainPods([pod('a', { conditions })])).toEqual(['pod a: not scheduled: 0/3 nodes are available']);
});

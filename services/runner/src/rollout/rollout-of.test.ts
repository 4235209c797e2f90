import { describe, expect, test } from 'vitest';
import type { Workload } from '../cluster/kube-objects.ts';
import { rolloutOf, whyNoRollout, type WorkloadKind } from './rollout-of.ts';

const template = {};
const workload = (spec: object, status: object): Workload => ({
  metadata: { uid: 'u', generation: 2 },
  spec: { template, ...spec },
  status: { observedGeneration: 2, ...status },
});

describe('a rollout', () => {
  test.for<[string, WorkloadKind, Workload, boolean]>([
    [
      'is done when all pods are new and available',
      'Deployment',
      workload({ replicas: 2 }, { replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
      true,
    ],
    [
      'is not done before the change is observed',
      'Deployment',
      workload({ replicas: 1 }, { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }),
      false,
    ],
    [
      'is not done while old pods remain',
      'Deployment',
      workload({ replicas: 2 }, { replicas: 3, updatedReplicas: 2, availableReplicas: 3 }),
      false,
    ],
    [
      'is not done while new pods are not available',
      'Deployment',
      workload({ replicas: 2 }, { replicas: 2, updatedReplicas: 2, availableReplicas: 1 }),
      false,
    ],
    ['is done at once without replicas', 'Deployment', workload({ replicas: 0 }, {}), true],
    [
      'of a StatefulSet is done when all pods are new and ready',
      'StatefulSet',
      workload({ replicas: 3 }, { updatedReplicas: 3, readyReplicas: 3 }),
      true,
    ],
    [
      'of a StatefulSet is not done before the last pod',
      'StatefulSet',
      workload({ replicas: 3 }, { updatedReplicas: 2, readyReplicas: 3 }),
      false,
    ],
    [
      'of a StatefulSet does not replace pods below its partition',
      'StatefulSet',
      workload(
        { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        { updatedReplicas: 1, readyReplicas: 3 },
      ),
      true,
    ],
    [
      'of a DaemonSet is done on all nodes',
      'DaemonSet',
      workload({}, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
      true,
    ],
    [
      'of a DaemonSet is not done on the first node',
      'DaemonSet',
      workload({}, { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 }),
      false,
    ],
  ])('%s', ([, kind, given, isDone]) => {
    expect(rolloutOf(kind, given)).toMatchObject({ isDone, hasFailed: false });
  });

  test('has failed when Kubernetes gives up', () => {
    const conditions = [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }];
    const given = workload({ replicas: 2 }, { replicas: 2, updatedReplicas: 1, availableReplicas: 1, conditions });

    expect(rolloutOf('Deployment', given)).toEqual({
      isDone: false,
      hasFailed: true,
      says: '1 of 2 pods updated, 1 of 2 ready',
      pods: { ready: 1, updated: 1, wanted: 2, old: 1 },
    });
  });

  test.for([
    ['a paused Deployment', { paused: true }, 'its rollout is paused'],
    ['an OnDelete strategy', { updateStrategy: { type: 'OnDelete' } }, 'its update strategy is OnDelete'],
  ] as const)('does not begin with %s', ([, spec, why]) => {
    expect(whyNoRollout(workload(spec, {}))).toContain(why);
    expect(whyNoRollout(workload({}, {}))).toBeNull();
  });
});

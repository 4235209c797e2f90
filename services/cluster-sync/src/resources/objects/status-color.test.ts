import { describe, expect, test } from 'vitest';
import { statusColor } from './status-color.ts';
import type { KindName } from './tracked-kinds.ts';

const pod = (phase: string, more: object = {}) => ({ status: { phase, ...more } });
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const waiting = (reason: string) => ({
  containerStatuses: [{ state: { running: {} } }, { state: { waiting: { reason } } }],
});

describe('statusColor', () => {
  test.for<[string, KindName, object, string[]]>([
    [
      'a deployment: available replicas, then unavailable ones',
      'Deployment',
      { status: { replicas: 3, availableReplicas: 2, unavailableReplicas: 1 } },
      ['Success', 'Success', 'Danger'],
    ],
    ['a deployment scaled to nothing: no entry', 'Deployment', { status: {} }, []],
    ['a deployment without status: no entry', 'Deployment', {}, []],
    [
      'a stateful set: replicas that are wanted and not there count as bad',
      'StatefulSet',
      { spec: { replicas: 3 }, status: { replicas: 1, readyReplicas: 1 } },
      ['Success', 'Danger', 'Danger'],
    ],
    [
      'a stateful set that shrinks: more ready than wanted is not bad',
      'StatefulSet',
      { spec: { replicas: 1 }, status: { replicas: 1, readyReplicas: 2 } },
      ['Success', 'Success'],
    ],
    [
      'a daemon set: one per node it should be on',
      'DaemonSet',
      { status: { desiredNumberScheduled: 3, numberAvailable: 1 } },
      ['Success', 'Danger', 'Danger'],
    ],
    [
      'a job: active, succeeded, failed pods',
      'Job',
      { status: { active: 1, succeeded: 2, failed: 1 } },
      ['Primary', 'Success', 'Success', 'Danger'],
    ],
    ['a pod that is ready', 'Pod', pod('Running', ready), ['Success']],
    ['a pod that runs and is not ready yet', 'Pod', pod('Running'), ['Warning']],
    ['a pod that is done', 'Pod', pod('Succeeded'), ['Success']],
    ['a pod that failed', 'Pod', pod('Failed'), ['Danger']],
    ['a pod whose container crashes again and again', 'Pod', pod('Running', waiting('CrashLoopBackOff')), ['Danger']],
    ['a pod whose image cannot be pulled', 'Pod', pod('Pending', waiting('ErrImagePull')), ['Danger']],
    ['a pod whose container is being made', 'Pod', pod('Pending', waiting('ContainerCreating')), ['Warning']],
    ['a bound claim', 'PersistentVolumeClaim', pod('Bound'), ['Success']],
    ['a namespace that goes away', 'Namespace', pod('Terminating'), ['Warning']],
    ['a phase that is not known', 'Namespace', pod('constructor'), ['Secondary']],
    ['a service has no state of its own', 'Service', { status: { loadBalancer: {} } }, []],
  ])('%s', ([, kind, object, expected]) => {
    expect(statusColor[kind](object)).toEqual(expected);
  });

  test('is bounded for a status that claims millions of replicas', () => {
    const status = { availableReplicas: 2_000_000_000, unavailableReplicas: 5 };

    expect(statusColor.Deployment({ status })).toHaveLength(1000);
  });

  test('throws on a status of another type than Kubernetes writes', () => {
    expect(() => statusColor.Deployment({ status: { availableReplicas: 'many' } })).toThrow('availableReplicas');
  });
});

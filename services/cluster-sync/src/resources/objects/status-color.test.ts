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
      'a stateful set: desired replicas that do not exist count as bad',
      'StatefulSet',
      { spec: { replicas: 3 }, status: { replicas: 1, readyReplicas: 1 } },
      ['Success', 'Danger', 'Danger'],
    ],
    [
      'a stateful set that shrinks: more ready than desired is not bad',
      'StatefulSet',
      { spec: { replicas: 1 }, status: { replicas: 1, readyReplicas: 2 } },
      ['Success', 'Success'],
    ],
    [
      'a daemon set: one entry per node it should run on',
      'DaemonSet',
      { status: { desiredNumberScheduled: 3, numberAvailable: 1 } },
      ['Success', 'Danger', 'Danger'],
    ],
    [
      'a job: active, then succeeded, then failed pods',
      'Job',
      { status: { active: 1, succeeded: 2, failed: 1 } },
      ['Primary', 'Success', 'Success', 'Danger'],
    ],
    ['a pod that is ready', 'Pod', pod('Running', ready), ['Success']],
    ['a pod that runs and is not ready yet', 'Pod', pod('Running'), ['Warning']],
    ['a pod that succeeded', 'Pod', pod('Succeeded'), ['Success']],
    ['a pod that failed', 'Pod', pod('Failed'), ['Danger']],
    ['a pod whose container crashes repeatedly', 'Pod', pod('Running', waiting('CrashLoopBackOff')), ['Danger']],
    ['a pod whose image cannot be pulled', 'Pod', pod('Pending', waiting('ErrImagePull')), ['Danger']],
    ['a pod whose container is being created', 'Pod', pod('Pending', waiting('ContainerCreating')), ['Warning']],
    ['a bound claim', 'PersistentVolumeClaim', pod('Bound'), ['Success']],
    ['a namespace that is being deleted', 'Namespace', pod('Terminating'), ['Warning']],
    ['an unknown phase', 'Namespace', pod('constructor'), ['Secondary']],
    ['a service, which has no status of its own', 'Service', { status: { loadBalancer: {} } }, []],
  ])('%s', ([, kind, object, expected]) => {
    expect(statusColor[kind](object)).toEqual(expected);
  });

  test('bounds a status that claims millions of replicas', () => {
    const status = { availableReplicas: 2_000_000_000, unavailableReplicas: 5 };

    expect(statusColor.Deployment({ status })).toHaveLength(1000);
  });

  test('throws on a malformed status', () => {
    expect(() => statusColor.Deployment({ status: { availableReplicas: 'many' } })).toThrow('availableReplicas');
  });
});

import { isJson } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import { observedObject } from './observed-object.ts';
import { resourceId } from './resource-id.ts';
import { trackedKinds } from './tracked-kinds.ts';
import { trackedObject, type TrackedRow } from './tracked-object.ts';

const clusterId = '11111111-1111-4111-8111-111111111111';
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const kindNamed = (name: string) => trackedKinds.find(({ kind }) => kind === name) ?? trackedKinds[0];
const pod = (metadata: object = {}, status: object = { phase: 'Running' }) => ({
  metadata: { uid: 'u1', name: 'web-1', namespace: 'web-one', resourceVersion: '5', ...metadata },
  status,
});
function track(object: unknown, kind = 'Pod'): TrackedRow & { fingerprint: string } {
  const observed = observedObject(kindNamed(kind), object, { clusterId, namespace: 'web-one' });
  const { row, fingerprint } = trackedObject(observed, deploymentId);
  return { ...JSON.parse(row), fingerprint };
}

describe('trackedObject', () => {
  test('adds kind and version, which the items of a list do not carry', () => {
    expect(track(pod())).toMatchObject({ kind: 'Pod', api_version: 'v1', name: 'web-1', uid: 'u1' });
  });

  test('drops metadata that changes constantly or repeats the object, and annotations in which a chart may put secrets', () => {
    const { metadata } = track(
      pod({
        managedFields: [{ manager: 'helm' }],
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{"secret":1}',
          'berth.dev/claim': 'task:1',
          'checksum/config': 'digest of contents',
          'web.example.com/conf': 'contents of a secret',
          'deployment.kubernetes.io/revision': '3',
        },
      }),
    );

    expect(metadata).toEqual({
      uid: 'u1',
      name: 'web-1',
      namespace: 'web-one',
      annotations: { 'deployment.kubernetes.io/revision': '3' },
      summary: { phase: 'Running', ready: '0/0', restarts: 0 },
      cause: 'NotReady',
      message: 'not ready, its phase is Running',
    });
  });

  test('has the same fingerprint when only the resource version changed', () => {
    expect(track(pod({ resourceVersion: '6' })).fingerprint).toBe(track(pod()).fingerprint);
  });

  test('has another fingerprint when its status changed', () => {
    expect(track(pod({}, { phase: 'Failed' })).fingerprint).not.toBe(track(pod()).fingerprint);
  });

  test('explains why a container does not start', () => {
    const status = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] };

    expect(track(pod({}, status)).metadata).toMatchObject({
      cause: 'ImagePullBackOff',
      message: 'container ? is waiting: ImagePullBackOff',
      summary: { ready: '0/1' },
    });
  });

  test('stores only JSON that Postgres and the contracts can hold', () => {
    const labels = JSON.parse('{"constructor":"x","__proto__":{"y":1},"nul":"a\\u0000b","half":"\\ud800"}');

    const { metadata } = track(pod({ labels }, { phase: 'a\0b\ud800' }));

    expect(metadata['labels']).toEqual({ nul: 'ab', half: '\uFFFD' });
    expect(metadata['summary']).toMatchObject({ phase: 'ab\uFFFD' });
    expect(isJson(metadata)).toBe(true);
  });

  test('shows the first of many hosts and ports, and the number of the others', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => index);
    const ingress = { ...pod(), spec: { rules: many.map((index) => ({ host: `${index}.example.com` })) } };
    const service = { ...pod(), spec: { ports: many.map((port) => ({ port })) } };

    expect(track(ingress, 'Ingress').metadata).toMatchObject({
      summary: { hosts: expect.stringMatching(/^0\.example\.com, .*, 19\.example\.com and 4980 more$/) },
    });
    expect(track(service, 'Service').metadata).toMatchObject({
      summary: { ports: expect.stringMatching(/^0\/TCP, .*, 19\/TCP and 4980 more$/) },
    });
  });

  test('leaves out annotations that are too large to show', () => {
    const { metadata } = track(pod({ annotations: { 'helm.sh/hook': 'x'.repeat(40_000) }, labels: { app: 'web' } }));

    expect(metadata).not.toHaveProperty('annotations');
    expect(metadata).toHaveProperty('labels', { app: 'web' });
  });

  test('carries its parent: the controller, with the id of its row', () => {
    const owner = (kind: string, more: object = {}) => ({
      apiVersion: 'apps/v1',
      kind,
      name: kind,
      uid: kind,
      ...more,
    });
    const ownerReferences = [owner('DaemonSet'), owner('ReplicaSet', { controller: true })];

    expect(track(pod({ ownerReferences })).metadata['parent']).toEqual({
      resource_id: resourceId(clusterId, 'ReplicaSet'),
      kind: 'ReplicaSet',
      api_version: 'apps/v1',
      name: 'ReplicaSet',
    });
  });

  test.for([
    ['of a kind that is not tracked', { apiVersion: 'example.com/v1', kind: 'Rollout' }],
    ['of the same kind in another group', { apiVersion: 'example.com/v1', kind: 'ReplicaSet' }],
  ] as const)('has a parent without a row id if the parent is %s', ([, reference]) => {
    const ownerReferences = [{ ...reference, name: 'web', uid: 'u2' }];

    expect(track(pod({ ownerReferences })).metadata['parent']).toEqual({
      resource_id: null,
      kind: reference.kind,
      api_version: reference.apiVersion,
      name: 'web',
    });
  });

  test.for([undefined, null, 'x', [], [7], [{ kind: 'Pod' }]])('has no parent with the references %j', (references) => {
    expect(track(pod({ ownerReferences: references })).metadata).not.toHaveProperty('parent');
  });

  test('keeps parent and cause if the metadata is too large to show', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u2' }];
    const { metadata } = track(pod({ ownerReferences, labels: { big: 'x'.repeat(40_000) } }));

    expect(metadata).not.toHaveProperty('labels');
    expect(metadata).toMatchObject({ parent: { kind: 'ReplicaSet' }, cause: 'NotReady' });
  });

  test.for([null, {}, { metadata: [] }, { metadata: { uid: 5, name: 'x' } }, 'text'])('refuses %j', (object) => {
    expect(() => track(object)).toThrow(/Invalid input|must be an object/);
  });
});

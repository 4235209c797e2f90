import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RowChange } from '../rows/change-queue.ts';
import { type ClusterMirror, createClusterMirror } from './cluster-mirror.ts';
import type { KnownObject } from './known-objects.ts';
import { z } from 'zod';
import { type TrackedKind, trackedKinds } from '../objects/tracked-kinds.ts';
import type { TrackedRow } from '../objects/tracked-object.ts';

const clusterId = '11111111-1111-4111-8111-111111111111';
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const otherDeploymentId = 'a0e1c2d3-7a7e-4a5f-9f0e-6a5a0f7f3f11';

const kindNamed = (name: string): TrackedKind => trackedKinds.find(({ kind }) => kind === name) ?? trackedKinds[0];
const namespaceKind = kindNamed('Namespace');
const podKind = kindNamed('Pod');

const namespace = (name: string, deployment: string | undefined = deploymentId) => ({
  metadata: {
    uid: `ns-${name}`,
    name,
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: { 'berth.dev/deployment-id': deployment },
  },
  status: { phase: 'Active' },
});
const foreign = (name: string) => ({ metadata: { uid: `ns-${name}`, name }, status: { phase: 'Active' } });
const pod = (name: string, inNamespace = 'managed', phase = 'Running') => ({
  metadata: { uid: `pod-${name}`, name, namespace: inNamespace },
  status: { phase },
});

const service = (name: string) => ({
  metadata: { uid: `svc-${name}`, name, namespace: 'managed' },
  spec: {},
});

const Annotated = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string().optional()) }) });
/** The owners of namespaces, instead of records. */
const ownerByAnnotation = (object: unknown): string | null =>
  Annotated.safeParse(object).data?.metadata.annotations['berth.dev/deployment-id'] ?? null;

const onNamespace = vi.fn<(namespace: string) => void>();
const warn = vi.fn<(fields: object, words: string) => void>();
let changes: RowChange[];
let mirror: ClusterMirror;

function start(known: KnownObject[] = []): void {
  changes = [];
  onNamespace.mockClear();
  warn.mockClear();
  mirror = createClusterMirror({
    clusterId,
    known,
    queue: { add: (change) => changes.push(change) },
    log: { warn },
    ownerOf: ownerByAnnotation,
    onNamespace,
    heldBackLimit: 3,
    limits: { perKind: 3, perCluster: 5 },
  });
}
/** The queued rows. */
const rows = (): TrackedRow[] => changes.flatMap(({ put }) => (put ? JSON.parse(put.row) : []));
/** Takes the queued changes: `+uid` for an upsert, `-uid` for a deletion. */
function queued(): string[] {
  return changes.splice(0).map(({ uid, put }) => (put ? `+${uid}` : `-${uid}`));
}
function list(kind: TrackedKind, objects: object[], inNamespace?: string): void {
  const pass = mirror.beginPass(kind, inNamespace);
  for (const object of objects) pass.add(object);
  pass.end();
}

beforeEach(() => start());

describe('an object', () => {
  test('is tracked only in a namespace of a deployment, under that deployment', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    mirror.put(podKind, pod('b', 'kube-system'));

    expect(rows().map(({ deployment_id }) => deployment_id)).toEqual([deploymentId, deploymentId]);
    expect(queued()).toEqual(['+ns-managed', '+pod-a']);
  });

  test('is written again only when a shown field changed', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.put(podKind, pod('a'));
    expect(queued()).toEqual([]);
    mirror.put(podKind, pod('a', 'managed', 'Failed'));

    expect(queued()).toEqual(['+pod-a']);
  });

  test('is removed once when it is deleted', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.remove('Pod', pod('a'));
    mirror.remove('Pod', pod('a'));
    mirror.remove('Pod', { nonsense: true });

    expect(queued()).toEqual(['-pod-a']);
  });

  test('is written again at its next event if it could not be stored', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.invalidate('pod-a');
    list(podKind, [pod('a')]);

    expect(queued()).toEqual(['+pod-a']);
  });

  test('is removed when a list of its kind and namespace lacks it', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(namespaceKind, namespace('more'));
    for (const object of [pod('a'), pod('b'), pod('c', 'more')]) mirror.put(podKind, object);
    queued();

    list(podKind, [pod('a')], 'managed');
    expect(queued()).toEqual(['-pod-b']);
    list(podKind, [pod('a')]);
    expect(queued()).toEqual(['-pod-c']);
    list(kindNamed('Service'), []);
    expect(queued()).toEqual([]);
  });

  test('is logged and keeps its row if it is malformed', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();
    const broken = { ...pod('a'), status: { phase: 5 } };

    list(podKind, [broken, { nonsense: true }, pod('b')]);

    expect(queued()).toEqual(['+pod-b']);
    expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([{ kind: 'Pod', uid: 'pod-a' }, { kind: 'Pod' }]);
  });
});

describe('a namespace', () => {
  test('is listed when it is labelled later, moves to another deployment or is created again', () => {
    mirror.put(namespaceKind, foreign('managed'));
    mirror.put(podKind, pod('early'));
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(namespaceKind, namespace('managed'));
    list(podKind, [pod('early')], 'managed');
    expect(onNamespace.mock.calls).toEqual([['managed']]);
    expect(queued()).toEqual(['+ns-managed', '+pod-early']);

    mirror.put(namespaceKind, namespace('managed', otherDeploymentId));
    expect(onNamespace).toHaveBeenCalledTimes(2);

    mirror.remove('Namespace', namespace('managed'));
    mirror.put(namespaceKind, namespace('managed'));
    expect(onNamespace).toHaveBeenCalledTimes(3);
  });

  test('is no longer tracked, with all its objects, when it loses its label', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.put(namespaceKind, foreign('managed'));
    mirror.put(podKind, pod('b'));

    expect(queued().sort()).toEqual(['-ns-managed', '-pod-a']);
    expect(warn).not.toHaveBeenCalled();
  });

  test('stays tracked with its objects when it was created again under its name', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    const recreated = namespace('managed');
    list(namespaceKind, [{ ...recreated, metadata: { ...recreated.metadata, uid: 'ns-recreated' } }]);
    mirror.put(podKind, pod('b'));

    expect(queued()).toEqual(['+ns-recreated', '-ns-managed', '+pod-b']);
  });

  test('is removed with its objects when it is deleted', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.remove('Namespace', namespace('managed'));
    mirror.put(podKind, pod('late'));

    expect(queued().sort()).toEqual(['-ns-managed', '-pod-a']);
  });

  test('moves its objects when it moves to another deployment', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    changes = [];

    mirror.put(namespaceKind, namespace('managed', otherDeploymentId));
    list(podKind, [pod('a')], 'managed');

    expect(rows().map(({ deployment_id }) => deployment_id)).toEqual([otherDeploymentId, otherDeploymentId]);
  });

  test('is no longer tracked, nor are its objects, when it stops belonging to a deployment', () => {
    mirror.put(namespaceKind, namespace('managed'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.put(namespaceKind, foreign('managed'));

    expect(queued().sort()).toEqual(['-ns-managed', '-pod-a']);
  });
});

describe('an object that arrives before its namespace', () => {
  test('is tracked in its newest state when the namespace arrives, without a list', () => {
    mirror.put(podKind, pod('early', 'managed', 'Pending'));
    mirror.put(podKind, pod('early'));
    mirror.put(podKind, pod('gone'));
    mirror.remove('Pod', pod('gone'));
    expect(queued()).toEqual([]);

    mirror.put(namespaceKind, namespace('managed'));

    expect(rows()).toMatchObject([
      { name: 'early', deployment_id: deploymentId, metadata: { summary: { phase: 'Running' } } },
      { kind: 'Namespace' },
    ]);
    expect(onNamespace).not.toHaveBeenCalled();
  });

  test('is dropped when the namespace is deleted or does not belong to a deployment', () => {
    mirror.put(podKind, pod('a', 'unmanaged'));
    mirror.put(podKind, pod('b', 'gone'));

    mirror.put(namespaceKind, foreign('unmanaged'));
    mirror.remove('Namespace', namespace('gone'));
    mirror.put(namespaceKind, namespace('unmanaged'));
    mirror.put(namespaceKind, namespace('gone'));

    expect(queued()).toEqual(['+ns-unmanaged', '+ns-gone']);
    expect(onNamespace.mock.calls).toEqual([['unmanaged'], ['gone']]);
  });

  test('is not tracked if it is missing in a later list of its kind', () => {
    for (const name of ['a', 'b']) mirror.put(podKind, pod(name));

    const pass = mirror.beginPass(podKind);
    pass.add(pod('a'));
    mirror.put(namespaceKind, namespace('managed'));
    pass.end();

    expect(queued()).toEqual(['+pod-a', '+ns-managed']);
  });

  test('is not removed by a list of another namespace', () => {
    mirror.put(podKind, pod('early'));
    mirror.put(namespaceKind, namespace('more'));
    list(podKind, [], 'more');

    mirror.put(namespaceKind, namespace('managed'));

    expect(queued()).toEqual(['+ns-more', '+pod-early', '+ns-managed']);
  });

  test('is found by a list if too many objects were held back, until the next list of namespaces has ended', () => {
    for (const name of ['a', 'b', 'c', 'd']) mirror.put(podKind, pod(name));

    mirror.put(namespaceKind, namespace('managed'));
    expect(onNamespace.mock.calls).toEqual([['managed']]);
    list(namespaceKind, [namespace('managed'), namespace('listed')]);
    expect(onNamespace.mock.calls).toEqual([['managed'], ['listed']]);
    mirror.put(namespaceKind, namespace('later'));

    expect(onNamespace).toHaveBeenCalledTimes(2);
  });
});

describe('after a restart', () => {
  const known = (uid: string, kind: string, inNamespace: string): KnownObject => ({
    uid,
    kind,
    namespace: inNamespace,
    fingerprint: 'as it was',
  });

  test('objects that were deleted in the meantime are removed by the first lists', () => {
    start([
      known('ns-managed', 'Namespace', 'managed'),
      known('pod-a', 'Pod', 'managed'),
      known('pod-b', 'Pod', 'managed'),
      known('ns-gone', 'Namespace', 'gone'),
      known('pod-c', 'Pod', 'gone'),
    ]);

    list(namespaceKind, [namespace('managed')]);
    expect(queued().sort()).toEqual(['+ns-managed', '-ns-gone', '-pod-c']);
    list(podKind, [pod('a')]);

    expect(queued()).toEqual(['+pod-a', '-pod-b']);
  });
});

test('an odd object has a row and is logged at most once, however often it changes', () => {
  const conditions = [
    { type: 'Surprise', status: 'Perhaps', reason: 7 },
    { type: 'Ready', status: 'False' },
  ];
  const containers = Array.from({ length: 500 }, (_, n) => ({ name: `c${n}`, state: { waiting: { reason: 'Odd' } } }));
  const odd: [string, object][] = [
    ['annotations', { metadata: { ...pod('annotations').metadata, annotations: { big: 'x'.repeat(2_000_000) } } }],
    ['no status', { metadata: pod('no status').metadata }],
    ['conditions', { ...pod('conditions'), status: { phase: 'Running', conditions } }],
    ['containers', { ...pod('containers'), status: { phase: 'Running', containerStatuses: containers } }],
    ['broken', { ...pod('broken'), status: { phase: { not: 'a text' } } }],
  ];
  for (const [name, object] of odd) {
    start();
    mirror.put(namespaceKind, namespace('managed'));
    queued();

    for (let n = 0; n < 3; n += 1) {
      const metadata = { ...pod(name).metadata, ...('metadata' in object && Object(object.metadata)), generation: n };
      mirror.put(podKind, { ...object, metadata });
    }

    expect([name, queued().length]).toEqual([name, name === 'broken' ? 0 : 3]);
    expect([name, warn.mock.calls.length]).toEqual([name, name === 'broken' ? 1 : 0]);
  }
});

describe('the number of tracked objects', () => {
  test('is bounded per kind and namespace, and a deletion makes room', () => {
    mirror.put(namespaceKind, namespace('managed'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) mirror.put(podKind, pod(name));

    expect(queued()).toEqual(['+ns-managed', '+pod-a', '+pod-b', '+pod-c']);
    expect(warn).toHaveBeenCalledOnce();

    mirror.remove('Pod', pod('a'));
    mirror.put(podKind, pod('e'));
    mirror.put(podKind, pod('d'));

    expect(queued()).toEqual(['-pod-a', '+pod-e']);
  });

  test('of one kind leaves room for other kinds', () => {
    mirror.put(namespaceKind, namespace('managed'));
    for (const name of ['a', 'b', 'c', 'd']) mirror.put(podKind, pod(name));
    queued();

    mirror.put(kindNamed('Service'), service('web'));

    expect(queued()).toEqual(['+svc-web']);
  });

  test('is bounded per cluster', () => {
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) mirror.put(namespaceKind, namespace(name));

    expect(queued()).toEqual(['+ns-one', '+ns-two', '+ns-three', '+ns-four', '+ns-five']);
  });

  test('includes the rows of an earlier watch', () => {
    start(['a', 'b', 'c'].map((name) => ({ uid: `pod-${name}`, kind: 'Pod', namespace: 'managed', fingerprint: '' })));
    mirror.put(namespaceKind, namespace('managed'));
    for (const name of ['a', 'd']) mirror.put(podKind, pod(name));

    expect(queued()).toEqual(['+ns-managed', '+pod-a']);
  });
});

describe('a ReplicaSet', () => {
  const replicaSet = (replicas: number, left: number) => ({
    metadata: { uid: 'rs-web', name: 'web', namespace: 'managed' },
    spec: { replicas },
    status: { replicas: left },
  });

  test('is tracked only while it has pods or wants some', () => {
    mirror.put(namespaceKind, namespace('managed'));
    queued();

    mirror.put(kindNamed('ReplicaSet'), replicaSet(0, 0));
    expect(queued()).toEqual([]);
    mirror.put(kindNamed('ReplicaSet'), replicaSet(2, 0));
    mirror.put(kindNamed('ReplicaSet'), replicaSet(0, 2));
    expect(queued()).toEqual(['+rs-web', '+rs-web']);

    mirror.put(kindNamed('ReplicaSet'), replicaSet(0, 0));
    list(kindNamed('ReplicaSet'), [replicaSet(0, 0)]);

    expect(queued()).toEqual(['-rs-web']);
  });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RowChange } from '../rows/change-queue.ts';
import { type ClusterMirror, createClusterMirror, type KnownObject } from './cluster-mirror.ts';
import { type TrackedKind, trackedKinds } from '../objects/tracked-kinds.ts';

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
const pod = (name: string, inNamespace = 'ours', phase = 'Running') => ({
  metadata: { uid: `pod-${name}`, name, namespace: inNamespace },
  status: { phase },
});

const onNamespace = vi.fn<(namespace: string) => void>();
const warn = vi.fn<(fields: object, words: string) => void>();
let changes: RowChange[];
let mirror: ClusterMirror;

function start(known: KnownObject[] = []): void {
  changes = [];
  onNamespace.mockClear();
  warn.mockClear();
  mirror = createClusterMirror({
    known,
    queue: { add: (change) => changes.push(change) },
    log: { warn },
    onNamespace,
    heldBackLimit: 3,
  });
}
/** What was queued since the last look: `+uid` written, `-uid` removed. */
function queued(): string[] {
  return changes.splice(0).map(({ uid, put }) => (put ? `+${uid}` : `-${uid}`));
}
function list(kind: TrackedKind, objects: object[], inNamespace?: string): void {
  const pass = mirror.beginPass(kind, inNamespace);
  for (const object of objects) pass.saw(object);
  pass.end();
}

beforeEach(() => start());

describe('objects', () => {
  test('are tracked only in namespaces of deployments, under the deployment of the namespace', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    mirror.put(podKind, pod('b', 'kube-system'));

    expect(changes.map(({ put }) => put?.deployment_id)).toEqual([deploymentId, deploymentId]);
    expect(queued()).toEqual(['+ns-ours', '+pod-a']);
  });

  test('are written again only when something that is shown changed', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.put(podKind, pod('a'));
    expect(queued()).toEqual([]);
    mirror.put(podKind, pod('a', 'ours', 'Failed'));

    expect(queued()).toEqual(['+pod-a']);
  });

  test('that are gone are removed, once', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.remove('Pod', pod('a'));
    mirror.remove('Pod', pod('a'));
    mirror.remove('Pod', { nonsense: true });

    expect(queued()).toEqual(['-pod-a']);
  });

  test('that could not be stored are written again when they are seen again', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.doubt('pod-a');
    list(podKind, [pod('a')]);

    expect(queued()).toEqual(['+pod-a']);
  });

  test('that a list does not show any more are removed, those of other kinds and namespaces stay', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(namespaceKind, namespace('more'));
    for (const object of [pod('a'), pod('b'), pod('c', 'more')]) mirror.put(podKind, object);
    queued();

    list(podKind, [pod('a')], 'ours');
    expect(queued()).toEqual(['-pod-b']);
    list(podKind, [pod('a')]);
    expect(queued()).toEqual(['-pod-c']);
    list(kindNamed('Service'), []);
    expect(queued()).toEqual([]);
  });

  test('that are not as Kubernetes writes them are one line in the log and keep their row', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();
    const broken = { ...pod('a'), status: { phase: 5 } };

    list(podKind, [broken, { nonsense: true }, pod('b')]);

    expect(queued()).toEqual(['+pod-b']);
    expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([{ kind: 'Pod', uid: 'pod-a' }, { kind: 'Pod' }]);
  });
});

describe('namespaces', () => {
  test("that became ours later, another deployment's, or come again after their end are told, so that they are listed", () => {
    mirror.put(namespaceKind, foreign('ours'));
    mirror.put(podKind, pod('early'));
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(namespaceKind, namespace('ours'));
    list(podKind, [pod('early')], 'ours');
    expect(onNamespace.mock.calls).toEqual([['ours']]);
    expect(queued()).toEqual(['+ns-ours', '+pod-early']);

    mirror.put(namespaceKind, namespace('ours', otherDeploymentId));
    expect(onNamespace).toHaveBeenCalledTimes(2);

    mirror.remove('Namespace', namespace('ours'));
    mirror.put(namespaceKind, namespace('ours'));
    expect(onNamespace).toHaveBeenCalledTimes(3);
  });

  test('that lose our label lose what lies in them', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.put(namespaceKind, foreign('ours'));
    mirror.put(podKind, pod('b'));

    expect(queued().sort()).toEqual(['-ns-ours', '-pod-a']);
    expect(warn).not.toHaveBeenCalled();
  });

  test('that were made anew under their name stay, and what lies in them, when a list shows it', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    const anew = namespace('ours');
    list(namespaceKind, [{ ...anew, metadata: { ...anew.metadata, uid: 'ns-anew' } }]);
    mirror.put(podKind, pod('b'));

    expect(queued()).toEqual(['+ns-anew', '-ns-ours', '+pod-b']);
  });

  test('that go away take what lies in them along', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();

    mirror.remove('Namespace', namespace('ours'));
    mirror.put(podKind, pod('late'));

    expect(queued().sort()).toEqual(['-ns-ours', '-pod-a']);
  });

  test('that change to another deployment bring their objects along', () => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    changes = [];

    mirror.put(namespaceKind, namespace('ours', otherDeploymentId));
    list(podKind, [pod('a')], 'ours');

    expect(changes.map(({ put }) => put?.deployment_id)).toEqual([otherDeploymentId, otherDeploymentId]);
  });

  test.for([[undefined], ['no-uuid']])('with the deployment id %s are not tracked, nor is what was', ([id]) => {
    mirror.put(namespaceKind, namespace('ours'));
    mirror.put(podKind, pod('a'));
    queued();
    const anonymous = {
      metadata: { ...namespace('ours').metadata, annotations: id ? { 'berth.dev/deployment-id': id } : {} },
    };

    mirror.put(namespaceKind, anonymous);

    expect(queued().sort()).toEqual(['-ns-ours', '-pod-a']);
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe('objects that come before their namespace', () => {
  test('are tracked once it is seen, as they were last, without a list', () => {
    mirror.put(podKind, pod('early', 'ours', 'Pending'));
    mirror.put(podKind, pod('early'));
    mirror.put(podKind, pod('gone'));
    mirror.remove('Pod', pod('gone'));
    expect(queued()).toEqual([]);

    mirror.put(namespaceKind, namespace('ours'));

    expect(changes).toMatchObject([
      { put: { name: 'early', deployment_id: deploymentId, metadata: { summary: { phase: 'Running' } } } },
      { put: { kind: 'Namespace' } },
    ]);
    expect(onNamespace).not.toHaveBeenCalled();
  });

  test('are forgotten when it is not ours, or gone', () => {
    mirror.put(podKind, pod('a', 'theirs'));
    mirror.put(podKind, pod('b', 'gone'));

    mirror.put(namespaceKind, foreign('theirs'));
    mirror.remove('Namespace', namespace('gone'));
    mirror.put(namespaceKind, namespace('theirs'));
    mirror.put(namespaceKind, namespace('gone'));

    expect(queued()).toEqual(['+ns-theirs', '+ns-gone']);
    expect(onNamespace.mock.calls).toEqual([['theirs'], ['gone']]);
  });

  test('are tracked only if a list of their kind that began meanwhile shows them', () => {
    for (const name of ['a', 'b']) mirror.put(podKind, pod(name));

    const pass = mirror.beginPass(podKind);
    pass.saw(pod('a'));
    mirror.put(namespaceKind, namespace('ours'));
    pass.end();

    expect(queued()).toEqual(['+pod-a', '+ns-ours']);
  });

  test('are no reason to remove what a list of another namespace does not show', () => {
    mirror.put(podKind, pod('early'));
    mirror.put(namespaceKind, namespace('more'));
    list(podKind, [], 'more');

    mirror.put(namespaceKind, namespace('ours'));

    expect(queued()).toEqual(['+ns-more', '+pod-early', '+ns-ours']);
  });

  test('are listed when they were too many to keep, until the next list of namespaces has ended', () => {
    for (const name of ['a', 'b', 'c', 'd']) mirror.put(podKind, pod(name));

    mirror.put(namespaceKind, namespace('ours'));
    expect(onNamespace.mock.calls).toEqual([['ours']]);
    list(namespaceKind, [namespace('ours'), namespace('listed')]);
    expect(onNamespace.mock.calls).toEqual([['ours'], ['listed']]);
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

  test('what vanished meanwhile is removed by the first lists', () => {
    start([
      known('ns-ours', 'Namespace', 'ours'),
      known('pod-a', 'Pod', 'ours'),
      known('pod-b', 'Pod', 'ours'),
      known('ns-gone', 'Namespace', 'gone'),
      known('pod-c', 'Pod', 'gone'),
    ]);

    list(namespaceKind, [namespace('ours')]);
    expect(queued().sort()).toEqual(['+ns-ours', '-ns-gone', '-pod-c']);
    list(podKind, [pod('a')]);

    expect(queued()).toEqual(['+pod-a', '-pod-b']);
  });
});

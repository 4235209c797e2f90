import type { JsonObject } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import { finderOf } from '../../log/known-secrets.ts';
import { type DesiredObject, diffManifests, type Live, type Manifests } from './diff-manifests.ts';
import { type KubeObject, keyOf, kubeObjectOf } from '../../manifests/kube-object.ts';

const release = { namespace: 'web-a', name: 'web-a' };
const ownedByRelease = {
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': 'web-a', 'meta.helm.sh/release-namespace': 'web-a' },
};

function object(kind: string, content: JsonObject, fields: Partial<DesiredObject> = {}): DesiredObject {
  const apiVersion =
    { Deployment: 'apps/v1', StatefulSet: 'apps/v1', Job: 'batch/v1', Ship: 'sea.dev/v1' }[kind] ?? 'v1';
  const metadata = { name: 'web', namespace: 'web-a' };
  const made = kubeObjectOf({ apiVersion, kind, metadata, ...content });
  if (!made) throw new Error('not an object');
  return { ...made, ...fields };
}

/** The live object after an install: with owner metadata and defaults of the server. */
function asLive(of: KubeObject, more: JsonObject = {}, annotations: JsonObject = {}): KubeObject {
  const metadata = {
    name: of.name,
    namespace: of.namespace,
    labels: ownedByRelease.labels,
    annotations: { ...ownedByRelease.annotations, ...annotations },
    uid: 'u1',
    resourceVersion: '7',
    managedFields: [{ manager: 'helm' }],
  };
  return { ...of, content: { ...of.content, metadata, ...more } };
}

const nothingHidden = { texts: finderOf([]), whole: new Set<string>() };

function diff({
  old = [],
  wanted = [],
  live = [],
  hidden = nothingHidden,
  unknown = [],
  refused = [],
  marked = 'nothing',
}: Partial<Omit<Manifests, 'live'>> & { live?: KubeObject[]; unknown?: KubeObject[]; refused?: KubeObject[] }) {
  const all = new Map<string, Live>(live.map((one) => [keyOf(one), one]));
  for (const one of unknown) all.set(keyOf(one), 'unknown');
  for (const one of refused) all.set(keyOf(one), 'refused');
  return diffManifests({ release, old, wanted, live: all, hidden, marked });
}

/** The result for one object: action, reason, and fields as `path: before → after`. */
function become(manifests: Parameters<typeof diff>[0]): unknown {
  const { objects, unchanged } = diff(manifests);
  const [one] = objects;
  if (!one) return unchanged === 1 ? 'unchanged' : 'nothing';
  const fields = one.fields.map(({ path, before, after, hidden }) =>
    hidden ? `${path}: hidden` : `${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  );
  return [one.action, ...fields];
}

const config = (data: JsonObject, metadata: JsonObject = {}) =>
  object('ConfigMap', { data, metadata: { name: 'web', namespace: 'web-a', ...metadata } });
const container = (fields: JsonObject) => ({ name: 'web', image: 'web:1', ...fields });
const deployment = (containers: JsonObject[], spec: JsonObject = {}) =>
  object('Deployment', { spec: { ...spec, template: { spec: { containers } } } });
const ship = (spec: JsonObject) => object('Ship', { spec });
const secret = (content: JsonObject) => object('Secret', content);

/** From one manifest to the next, on a cluster that matches the first one exactly. */
const step = (old: DesiredObject, wanted: DesiredObject, more: Partial<Parameters<typeof diff>[0]> = {}) =>
  become({ old: [old], wanted: [wanted], live: [asLive(old)], ...more });

describe('an object', () => {
  test.for<[string, () => unknown, unknown]>([
    ['that is new is created', () => become({ wanted: [config({})] }), ['create']],
    ['that somebody deleted is created again', () => become({ old: [config({})], wanted: [config({})] }), ['create']],
    ['that stays as it is is not shown', () => step(config({ a: '1' }), config({ a: '1' })), 'unchanged'],
    [
      'that the new chart lacks is deleted',
      () => become({ old: [config({})], live: [asLive(config({}))] }),
      ['delete'],
    ],
    ['that is gone already is not deleted', () => become({ old: [config({})] }), 'nothing'],
    [
      'with the annotation to keep it in the cluster is kept',
      () => become({ old: [config({})], live: [asLive(config({}), {}, { 'helm.sh/resource-policy': 'keep' })] }),
      ['keep'],
    ],
    [
      'of another release with the same name blocks the change',
      () => become({ wanted: [config({})], live: [config({})] }),
      ['blocked'],
    ],
    [
      'of another namespace blocks the change if only the manifest of the release claims it',
      () => {
        const foreign = object('ConfigMap', { metadata: { name: 'web', namespace: 'other' }, data: { a: '1' } });
        return become({
          old: [foreign],
          wanted: [foreign],
          live: [{ ...foreign, content: { data: { a: 'theirs' } } }],
        });
      },
      ['blocked'],
    ],
    [
      'of a kind that the cluster does not know blocks the change',
      () => become({ wanted: [object('Ship', {})], unknown: [object('Ship', {})] }),
      ['blocked'],
    ],
    [
      'of the folder crds is kept if it exists already',
      () =>
        become({
          wanted: [object('CustomResourceDefinition', { spec: { a: 2 } }, { isCrdFile: true })],
          live: [object('CustomResourceDefinition', { spec: { a: 1 } })],
        }),
      ['keep'],
    ],
    [
      'of the folder crds is kept if the cluster serves what it defines, even where the deployment may not read it',
      () => {
        const definition = object('CustomResourceDefinition', {}, { isCrdFile: true, isDefined: true });
        return become({ wanted: [definition], refused: [definition] });
      },
      ['keep'],
    ],
    [
      'that the deployment may not read is created unless it exists',
      () => become({ wanted: [object('Ship', {})], refused: [object('Ship', {})] }),
      ['create'],
    ],
    [
      'with an immutable field that differs is replaced',
      () =>
        step(
          deployment([container({})], { selector: { matchLabels: { app: 'a' } } }),
          deployment([container({})], { selector: { matchLabels: { app: 'b' } } }),
        ),
      ['replace', '/spec/selector/matchLabels/app: "a" → "b"'],
    ],
    [
      'that is a StatefulSet is replaced if its claims differ, and changed if its replicas differ',
      () => [
        step(
          object('StatefulSet', { spec: { serviceName: 'a' } }),
          object('StatefulSet', { spec: { serviceName: 'b' } }),
        ),
        step(object('StatefulSet', { spec: { replicas: 1 } }), object('StatefulSet', { spec: { replicas: 2 } })),
      ],
      [
        ['replace', '/spec/serviceName: "a" → "b"'],
        ['change', '/spec/replicas: 1 → 2'],
      ],
    ],
    [
      'that is marked as immutable is replaced',
      () =>
        step(
          object('ConfigMap', { immutable: true, data: { a: '1' } }),
          object('ConfigMap', { immutable: true, data: { a: '2' } }),
        ),
      ['replace', '/data/a: "1" → "2"'],
    ],
  ])('%s', ([, made, expected]) => {
    expect(made()).toEqual(expected);
  });

  test('of a kind that the same chart defines is created with it', () => {
    const ship = object('Ship', {});
    const crd = object('CustomResourceDefinition', { spec: { group: 'sea.dev', names: { kind: 'Ship' } } });

    expect(diff({ wanted: [crd, ship], unknown: [ship] }).objects.map(({ action }) => action)).toEqual([
      'create',
      'create',
    ]);
  });

  test('that Berth writes itself is changed if Berth created it, and blocks the change otherwise', () => {
    const ours = object('Secret', { data: { tier: 'c21hbGw=' } }, { isOurs: true });
    const live = object('Secret', {
      data: {},
      metadata: { name: 'web', namespace: 'web-a', labels: { 'app.kubernetes.io/managed-by': 'berth' } },
    });

    expect(become({ wanted: [ours], live: [live] })).toEqual(['change', '/data/tier: hidden']);
    expect(become({ wanted: [ours], live: [asLive(live)] })).toEqual(['blocked']);
  });
});

describe('a field', () => {
  test.for<[string, () => unknown, unknown]>([
    [
      'of a list item is named by the key of the item, at any position',
      () =>
        step(
          deployment([container({}), { name: 'side', image: 'side:1' }]),
          deployment([{ name: 'side', image: 'side:1' }, container({ image: 'web:2' })]),
        ),
      ['change', '/spec/template/spec/containers/name=web/image: "web:1" → "web:2"'],
    ],
    [
      'of a port is named by its number, TCP and UDP apart',
      () =>
        step(
          object('Service', { spec: { ports: [{ port: 53 }, { port: 53, protocol: 'UDP', name: 'a' }] } }),
          object('Service', { spec: { ports: [{ port: 53 }, { port: 53, protocol: 'UDP', name: 'b' }] } }),
        ),
      ['change', '/spec/ports/port=53~1UDP/name: "a" → "b"'],
    ],
    [
      'that the new manifest lacks is removed',
      () => step(config({ a: '1', b: '2' }), config({ a: '1' })),
      ['change', '/data/b: "2" → undefined'],
    ],
    [
      'that is null in the manifest is removed too',
      () => step(config({ a: '1' }), config({ a: null })),
      ['change', '/data/a: "1" → undefined'],
    ],
    [
      'that somebody changed is reset',
      () => become({ old: [config({ a: '1' })], wanted: [config({ a: '1' })], live: [asLive(config({ a: '9' }))] }),
      ['change', '/data/a: "9" → "1"'],
    ],
    [
      'that the server filled in is not a change, nor is an item that others added',
      () => {
        const wanted = deployment([container({ ports: [{ containerPort: 80 }] })]);
        const live = deployment(
          [
            container({ ports: [{ containerPort: 80, protocol: 'TCP' }], imagePullPolicy: 'Always' }),
            { name: 'injected', image: 'proxy' },
          ],
          { replicas: 1, strategy: { type: 'RollingUpdate' } },
        );
        return become({ old: [wanted], wanted: [wanted], live: [asLive(live, { status: { replicas: 1 } })] });
      },
      'unchanged',
    ],
    [
      'that the server writes in another form is not a change',
      () => {
        const wanted = deployment([
          container({
            env: [],
            securityContext: {},
            tty: false,
            resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
          }),
        ]);
        return become({
          old: [wanted],
          wanted: [wanted],
          live: [asLive(deployment([container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })]))],
        });
      },
      'unchanged',
    ],
    [
      'that only looks like a quantity is a change',
      () => step(config({ a: '1000m' }), config({ a: '1' })),
      ['change', '/data/a: "1000m" → "1"'],
    ],
    [
      'that is a list of plain values changes as a whole',
      () => step(deployment([container({ args: ['a', 'b'] })]), deployment([container({ args: ['a'] })])),
      ['change', '/spec/template/spec/containers/name=web/args: ["a","b"] → ["a"]'],
    ],
    [
      'of a list without keys is named by its index',
      () =>
        step(
          object('Ingress', { spec: { rules: [{ host: 'a', http: { paths: [{ path: '/' }] } }] } }),
          object('Ingress', { spec: { rules: [{ host: 'b', http: { paths: [{ path: '/' }] } }] } }),
        ),
      ['change', '/spec/rules/0/host: "a" → "b"'],
    ],
    [
      'of metadata counts only within labels and annotations',
      () =>
        step(config({}, { labels: { a: '1' }, uid: 'x' }), config({}, { labels: { a: '2' }, uid: 'y' }), {
          live: [asLive(config({}), { metadata: { name: 'web', namespace: 'web-a', labels: { a: '1' } } })],
        }),
      ['change', '/metadata/labels/a: "1" → "2"'],
    ],
  ])('%s', ([, made, expected]) => {
    expect(made()).toEqual(expected);
  });
});

describe('a plan hides', () => {
  const known = {
    texts: finderOf(['swordfish', Buffer.from('swordfish').toString('base64')]),
    whole: new Set(['1234', 'swordfish']),
  };
  const env = (value: JsonObject) => deployment([container({ env: [{ name: 'A', ...value }] })]);

  test.for<[string, () => unknown, unknown]>([
    [
      'the contents of a Secret, in data and in stringData',
      () => step(secret({ data: { a: 'b25l' } }), secret({ stringData: { a: 'two', b: 'new' } })),
      ['change', '/data/a: hidden', '/data/b: hidden'],
    ],
    [
      'no change if stringData equals data',
      () => step(secret({ data: { a: 'b25l' } }), secret({ stringData: { a: 'one' } })),
      'unchanged',
    ],
    [
      'a value from a secret, on either side',
      () => [
        step(env({ value: 'x' }), env({ value: 'swordfish' }), { hidden: known }),
        step(env({ value: 'swordfish' }), env({ value: 'x' }), { hidden: known }),
      ],
      [
        ['change', '/spec/template/spec/containers/name=web/env/name=A/value: hidden'],
        ['change', '/spec/template/spec/containers/name=web/env/name=A/value: hidden'],
      ],
    ],
    [
      'a text that contains a secret, plain or encoded',
      () =>
        [`url: postgres://swordfish@db`, `auth: ${Buffer.from('swordfish').toString('base64')}`].map((text) =>
          step(config({ a: 'x' }), config({ a: text }), { hidden: known }),
        ),
      [
        ['change', '/data/a: hidden'],
        ['change', '/data/a: hidden'],
      ],
    ],
    [
      'a short or numeric sensitive input that is the whole value',
      () => step(deployment([container({ pin: 1 })]), deployment([container({ pin: 1234 })]), { hidden: known }),
      ['change', '/spec/template/spec/containers/name=web/pin: hidden'],
    ],
    [
      'a whole new item with a secret in it',
      () =>
        step(
          deployment([container({})]),
          deployment([container({}), { name: 'b', image: 'b', args: ['--key=swordfish'] }]),
          { hidden: known },
        ),
      ['change', '/spec/template/spec/containers/name=b: hidden'],
    ],
    [
      'a variable whose name suggests a secret, but not its source',
      () => [
        step(
          deployment([container({ env: [{ name: 'DB_PASSWORD', value: 'a' }] })]),
          deployment([container({ env: [{ name: 'DB_PASSWORD', value: 'b' }] })]),
        ),
        step(
          deployment([
            container({ env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'a' } } }] }),
          ]),
          deployment([
            container({ env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'b' } } }] }),
          ]),
        ),
      ],
      [
        ['change', '/spec/template/spec/containers/name=web/env/name=DB_PASSWORD/value: hidden'],
        [
          'change',
          '/spec/template/spec/containers/name=web/env/name=DB_PASSWORD/valueFrom/secretKeyRef/key: "a" → "b"',
        ],
      ],
    ],
    [
      'a field whose name suggests a secret, in any kind of object, unless it is the name of a Secret',
      () =>
        step(
          ship({ adminPassword: 'a', tls: { secretName: 'a' }, automountToken: false }),
          ship({ adminPassword: 'b', tls: { secretName: 'b' }, automountToken: true }),
        ),
      [
        'change',
        '/spec/adminPassword: hidden',
        '/spec/tls/secretName: "a" → "b"',
        '/spec/automountToken: false → true',
      ],
    ],
    [
      'a digest, which would allow guesses of a secret to be verified',
      () =>
        step(
          config({}, { annotations: { 'checksum/secret': 'a' } }),
          config({}, { annotations: { 'checksum/secret': 'b' } }),
          { live: [asLive(config({}), {}, { 'checksum/secret': 'a' })] },
        ),
      ['change', '/metadata/annotations/checksum~1secret: hidden'],
    ],
  ])('%s', ([, made, expected]) => {
    expect(made()).toEqual(expected);
  });

  test('a secret in the name of a field', () => {
    expect(step(config({}), config({ 'swordfish.txt': 'x' }), { hidden: known })).toEqual([
      'change',
      '/data/***.txt: undefined → "x"',
    ]);
  });

  test('the copy of an object that kubectl keeps in an annotation', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"c3dvcmRmaXNo"}}' };
    const { objects } = diff({
      old: [],
      wanted: [secret({ metadata: { name: 'web', namespace: 'web-a', annotations } })],
      live: [asLive(secret({}))],
    });

    expect(objects).toEqual([]);
  });
});

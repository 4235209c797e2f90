import { isDeepStrictEqual } from 'node:util';
import { KubeError } from '@berth/kube/kube-error';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ClusterInTest, startClusterInTest } from '../support/cluster-in-test.ts';
import { pathOf } from '../support/dry-run.ts';
import { broughtEvaluation, guideValues } from '../support/gitops-values.ts';
import {
  chart,
  type HelmInTest,
  type Manifest,
  manifestsOf,
  merged,
  startHelm,
  type Values,
} from '../support/helm-in-test.ts';
import { neededByPods } from '../support/needed-by-pods.ts';

let cluster: ClusterInTest;
/** Neither tool shows Helm the cluster. */
let helm: HelmInTest;
beforeAll(async () => {
  cluster = await startClusterInTest();
  helm = await startHelm();
}, 20 * 60_000);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(60_000), deadlineMs: 60_000 });
const objectPath = (manifest: Manifest) => `${pathOf(manifest)}/${manifest.metadata.name}`;
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

interface Tool {
  readonly manager: string;
  /** What the tool writes into each object to know it again. */
  readonly marked: (manifest: Manifest) => Manifest;
}

const argoCd: Tool = {
  manager: 'argocd-controller',
  marked: (manifest) => {
    const id = `berth:${manifest.apiVersion}/${manifest.kind}:${manifest.metadata.name}`;
    const annotations = { ...manifest.metadata.annotations, 'argocd.argoproj.io/tracking-id': id };
    return { ...manifest, metadata: { ...manifest.metadata, annotations } };
  },
};
const flux: Tool = {
  manager: 'kustomize-controller',
  marked: (manifest) => {
    const labels = { ...manifest.metadata.labels, 'kustomize.toolkit.fluxcd.io/name': 'berth' };
    return { ...manifest, metadata: { ...manifest.metadata, labels } };
  },
};

/** What the tools apply: they run no test of Helm. */
async function rendered(namespace: string, values: Values): Promise<Manifest[]> {
  const manifests = manifestsOf(await helm.helm(['template', 'berth', chart, '-n', namespace], values));
  return manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== 'test');
}

/** Namespaces first, as both tools do; then everything at once, in the opposite order of the rendering. */
async function apply(manifests: readonly Manifest[], { manager, marked }: Tool): Promise<void> {
  const send = (manifest: Manifest) =>
    cluster.api.applyJson(objectPath(manifest), marked(manifest), manager, { ...call(), isStrict: true });
  const isNamespace = ({ kind }: Manifest) => kind === 'Namespace';
  await Promise.all(manifests.filter(isNamespace).map(send));
  await Promise.all(
    manifests
      .filter((manifest) => !isNamespace(manifest))
      .toReversed()
      .map(send),
  );
}

const Live = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string().optional() }) });
/** An object without what controllers report. */
async function read(manifest: Manifest): Promise<unknown> {
  const { status: _status, metadata, ...rest } = Live.parse(await cluster.api.getJson(objectPath(manifest), call()));
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: { ...kept, managedFields: managers(kept['managedFields']) } };
}

const ManagedFields = z.array(z.looseObject({ manager: z.string(), subresource: z.string().optional() }));
/** Fields that somebody owns by writing them; controllers report in between. */
const managers = (fields: unknown) =>
  ManagedFields.parse(fields).filter(({ manager, subresource }) => !subresource && !manager.startsWith('kube-'));

const Workload = z.object({
  metadata: z.object({ generation: z.number() }),
  spec: z.object({ replicas: z.number().optional() }),
  status: z.object({
    observedGeneration: z.number().optional(),
    readyReplicas: z.number().optional(),
    updatedReplicas: z.number().optional(),
    succeeded: z.number().optional(),
  }),
});
async function isAtWork(manifest: Manifest, leastReplicas: number): Promise<boolean> {
  const { metadata, spec, status } = Workload.parse(await cluster.api.getJson(objectPath(manifest), call()));
  if (manifest.kind === 'Job') return status.succeeded === 1;
  const { replicas = 1 } = spec;
  // Controllers write to a workload until they have rolled out what was applied.
  const isRolledOut = status.observedGeneration === metadata.generation && status.updatedReplicas === replicas;
  return isRolledOut && status.readyReplicas === replicas && replicas >= leastReplicas;
}

const Autoscaler = z.object({ spec: z.object({ minReplicas: z.number() }) });
/** A Deployment begins with one replica, and its autoscaler adds the others within some seconds. */
function leastReplicasOf({ kind, metadata }: Manifest, manifests: readonly Manifest[]): number {
  const autoscaler = manifests.find(
    (one) => one.kind === 'HorizontalPodAutoscaler' && one.metadata.name === metadata.name && kind === 'Deployment',
  );
  return autoscaler ? Autoscaler.parse(autoscaler).spec.minReplicas : 0;
}

const workloads = new Set(['Deployment', 'StatefulSet', 'Job']);
async function allAtWork(manifests: readonly Manifest[]): Promise<void> {
  const some = manifests.filter(({ kind }) => workloads.has(kind));
  await vi.waitFor(
    async () => {
      const states = await Promise.all(
        some.map(async (one) => ((await isAtWork(one, leastReplicasOf(one, manifests))) ? [] : [nameOf(one)])),
      );
      expect(states.flat()).toEqual([]);
    },
    { timeout: 240_000, interval: 500 },
  );
}

const readAll = (manifests: readonly Manifest[]) => Promise.all(manifests.map(read));

async function bringSecrets(namespace: string, secrets: Record<string, readonly string[]>): Promise<void> {
  for (const [name, keys] of Object.entries(secrets)) {
    const stringData = Object.fromEntries(keys.map((key) => [key, `the ${key} of ${name}`]));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
    await cluster.api.postJson(`/api/v1/namespaces/${namespace}/secrets`, secret, call());
  }
}

const parts = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'];
const urls = ['auth', 'tasks', 'cluster_sync', 'registry_scan'];
const ofEach = (values: Values): Values => Object.fromEntries(parts.map((part) => [part, values]));
const scaled = ofEach({ autoscaling: { enabled: true } });
const ownCluster: Values = { 'cluster-sync': { ownCluster: { name: 'own' } } };

/** The Secrets that docs/install.md and docs/values.md ask for, with their keys. */
const ofGuide = {
  'berth-keys': ['auth', 'tasks'],
  'berth-nats': parts,
  'berth-database-urls': urls,
  'postgresql-ca': ['ca.crt'],
  'postgresql-admin': ['url'],
  'nats-ca': ['ca.crt'],
  'oidc-config': ['serverUrl', 'clientId', 'clientSecret'],
};
const ofEvaluation = {
  'berth-keys': ['auth', 'tasks'],
  'berth-nats': [...parts, 'routes'],
  'berth-database-urls': [...urls, 'superuser', 'superuser-password'],
  'berth-oidc': ['client-id', 'client-secret'],
};

describe.for<[string, Tool, string, () => Promise<Values>, Record<string, readonly string[]>]>([
  ['Argo CD with the values of the guide', argoCd, 'by-argo', async () => merged(await guideValues(), scaled), ofGuide],
  ['Flux with the values of the guide', flux, 'by-flux', async () => merged(await guideValues(), ownCluster), ofGuide],
  ['Argo CD of an evaluation', argoCd, 'evaluated', async () => merged(broughtEvaluation, ownCluster), ofEvaluation],
])('what is applied by %s', { timeout: 600_000 }, ([, tool, namespace, valuesOf, secrets]) => {
  let values: Values;
  let manifests: Manifest[];
  beforeAll(async () => {
    values = await valuesOf();
    manifests = await rendered(namespace, values);
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await cluster.api.postJson('/api/v1/namespaces', object, call());
    await bringSecrets(namespace, secrets);
    await apply(manifests, tool);
  }, 600_000);

  test('has no hook, and needs only the Secrets of the guide', async () => {
    expect(manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']).map(nameOf)).toEqual([]);

    await allAtWork(manifests);

    const needed = neededByPods(manifests);
    expect(needed.length).toBeGreaterThan(20);
    const missing = await Promise.all(
      needed.map(async ({ plural, name, key }) => {
        const path = `/api/v1/namespaces/${namespace}/${plural}/${name}`;
        const { data = {} } = Data.parse(await cluster.api.getJson(path, call()).catch(nothingThere));
        return key === undefined || Object.hasOwn(data, key) ? [] : [`${plural}/${name} ${key}`];
      }),
    );
    expect(missing.flat()).toEqual([]);
    const unused = Object.entries(secrets).flatMap(([name, keys]) =>
      keys.filter((key) => !needed.some((one) => one.name === name && one.key === key)).map((key) => `${name} ${key}`),
    );
    expect(unused).toEqual([]);
  });

  test('is what was rendered, and stays as it is when it is rendered and applied again', async () => {
    await allAtWork(manifests);
    const before = await readAll(manifests);

    const again = await rendered(namespace, values);
    await apply(again, tool);

    expect(again).toEqual(manifests);
    expect(await readAll(manifests)).toEqual(before);
    const different = again.flatMap((manifest, index) =>
      differences(tool.marked(manifest), before[index]).map((field) => `${nameOf(manifest)}: ${field}`),
    );
    expect(different).toEqual([]);
  });

  test('takes other values, and rendering those again changes nothing', async () => {
    const changed = merged(values, {
      global: {
        logLevel: 'debug',
        labels: { team: 'platform' },
        secretsRevision: '2',
        image: { tag: '9.9.9' },
        jobs: { resources: { requests: { cpu: '60m' } } },
      },
    });
    for (const one of [merged(values, { global: { logLevel: 'debug' } }), changed]) {
      const next = await rendered(namespace, one);

      await apply(next, tool);

      await allAtWork(next);
      const before = await readAll(next);
      await apply(next, tool);
      expect(await readAll(next)).toEqual(before);
    }
  });
});

const Data = z.object({ data: z.record(z.string(), z.string()).optional() });
function nothingThere(error: unknown): object {
  if (error instanceof KubeError && error.status === 404) return { data: {} };
  throw error;
}

test('a tool that applies again leaves the pods that an autoscaler has added', async () => {
  const manifests = await rendered('by-argo', merged(await guideValues(), scaled));
  const runner = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'berth-runner');
  if (!runner) throw new Error('there is no runner');
  await cluster.api.patchJson(`${objectPath(runner)}/scale`, { spec: { replicas: 4 } }, call());

  await apply(manifests, argoCd);

  expect(await read(runner)).toMatchObject({ spec: { replicas: 4 } });
});

/** Fields of an applied object that its live one has not, or has with another value. */
function differences(applied: unknown, live: unknown, path = ''): string[] {
  if (Array.isArray(applied)) {
    const lives: unknown[] = Array.isArray(live) ? live : [];
    return applied.flatMap((item: unknown, index) => differences(item, lives[index], `${path}[${index}]`));
  }
  if (isMap(applied)) {
    return Object.entries(applied).flatMap(([name, value]) =>
      differences(value, isMap(live) ? live[name] : undefined, `${path}.${name}`),
    );
  }
  return isDeepStrictEqual(applied, live) ? [] : [`${path} is ${JSON.stringify(live)}`];
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

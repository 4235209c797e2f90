import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ClusterInTest, startClusterInTest } from '../support/cluster-in-test.ts';
import { customKinds, customResources } from '../support/custom-resources.ts';
import { createDryRun } from '../support/dry-run.ts';
import { broken, exceptions, podsWithoutPolicy } from '../support/policy.ts';
import {
  bundled,
  chart,
  type HelmInTest,
  type Manifest,
  manifestsOf,
  merged,
  needed,
  podOf,
  startHelm,
  type Values,
} from '../support/helm-in-test.ts';
import { byOperator, releases, urlsBrought } from '../support/releases.ts';

let cluster: ClusterInTest;
let helm: HelmInTest;
/** Renders without a cluster, so lookups find nothing. */
let offline: HelmInTest;
beforeAll(async () => {
  cluster = await startClusterInTest();
  helm = await startHelm({ KUBECONFIG: cluster.kubeconfigFile });
  offline = await startHelm();
  const places = ['ships', 'clusters', 'ships-ship-berth-deployers'];
  for (const namespace of places) await create('/api/v1/namespaces', restrictedNamespace(namespace));
  for (const { path, object } of customResources) await create(path, object);
  await vi.waitFor(refuseUnservedResources, { interval: 200 });
}, 20 * 60_000);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await offline?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 20_000 });
const create = (path: string, object: object) => cluster.api.postJson(path, object, call());
const read = (path: string) => cluster.api.getJson(path, call());
const restrictedNamespace = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
});

async function refuseUnservedResources(): Promise<void> {
  for (const { group, version, plural } of customKinds) {
    await cluster.api.getJson(`/apis/${group}/${version}/namespaces/ships/${plural}`, call());
  }
}

test.for<[string, Values]>([
  ['StatefulSet', {}],
  ['Cluster', byOperator],
])(
  'the PostgreSQL of a release, as a %s, allows the connections of three replicas of each service during an upgrade',
  async ([kind, values]) => {
    const manifests = await offline.render(merged(needed, bundled, values));

    const server = manifests.find(({ kind: is, metadata }) => is === kind && metadata.name.endsWith('-postgresql'));
    const [, most] = /max_connections(?:=|":")(\d+)/.exec(JSON.stringify(server)) ?? [];
    // The number of connections of auth, tasks and registry-scan, and of cluster-sync.
    expect(Number(most)).toBeGreaterThan((3 + 1) * (10 + 10 + 10 + 12));
  },
);

test('the network policy of auth follows from the URL of the provider, also where only its Secret has it', async () => {
  const stringData = { serverUrl: 'https://id.example.com:8443', clientId: 'berth', clientSecret: 'secret' };
  const metadata = { name: 'oidc-config', namespace: 'ships' };
  await create('/api/v1/namespaces/ships/secrets', { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  const values = merged(bundled, { global: { trial: false }, ownUrlOverride: 'https://berth.example.com' });

  const manifests = manifestsOf(
    await helm.helm(['template', 'ship', chart, '-n', 'ships', '--dry-run=server'], values),
  );

  const policy = manifests.find(
    ({ kind, metadata: { name } }) => kind === 'NetworkPolicy' && name === 'ship-berth-auth',
  );
  expect(JSON.stringify(policy)).toContain('"port":8443');
});

/** Keyed by an object's JSON, because most objects are in several releases. */
const answers = new Map<string, Promise<string | undefined>>();
const once = (object: object, refusal: () => Promise<string | undefined>): Promise<string | undefined> => {
  const text = JSON.stringify(object);
  const known = answers.get(text) ?? refusal();
  answers.set(text, known);
  return known;
};

const used = new Set<string>();
describe.for(releases)('a release %s', ([, values, args]) => {
  let manifests: Manifest[];
  beforeAll(async () => {
    manifests = await offline.render(merged(needed, values), ...args);
  });

  test('is accepted by the API server, with each field of each object', async () => {
    const dryRun = createDryRun(cluster.api);

    // Namespaces were created before, since a dry run does not create them for the objects in them.
    const sent = manifests.filter(({ kind }) => kind !== 'Namespace');
    const refused = await Promise.all(sent.map((manifest) => once(manifest, () => dryRun(manifest))));

    expect(refused.filter((words) => words !== undefined)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(20);
  });

  test('has pods that are allowed under restricted Pod Security', async () => {
    const pods = manifests.flatMap((manifest) => {
      const spec = podOf(manifest);
      return spec ? [{ name: manifest.metadata.name, spec }] : [];
    });

    const refused = await Promise.all(
      pods.map(({ name, spec }) => {
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name },
          // Their service account and storage class do not exist there.
          spec: { ...spec, restartPolicy: 'Always', serviceAccountName: undefined, priorityClassName: undefined },
        };
        return once(pod, () =>
          create('/api/v1/namespaces/ships/pods?dryRun=All&fieldValidation=Strict', pod).then(
            () => undefined,
            (error: unknown) => `${name}: ${String(error)}`,
          ),
        );
      }),
    );

    expect(pods.length).toBeGreaterThan(4);
    expect(refused.filter((words) => words !== undefined)).toEqual([]);
  });

  test('breaks only policy rules that have an exception with a reason', () => {
    const rules = manifests.flatMap(broken);
    for (const rule of rules) used.add(rule);
    const hasPolicies = manifests.some(({ kind }) => kind === 'NetworkPolicy');

    expect(rules.filter((rule) => !Object.hasOwn(exceptions, rule))).toEqual([]);
    expect(hasPolicies ? podsWithoutPolicy(manifests) : []).toEqual([]);
  });
});

test('each exception from the policy is used by some release', () => {
  expect(Object.keys(exceptions).filter((rule) => !used.has(rule))).toEqual([]);
});

const Names = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Generation = z.object({ metadata: z.object({ generation: z.number() }) });
const SecretData = z.object({ data: z.record(z.string(), z.string()) });
const namesAt = async (path: string) => Names.parse(await read(path)).items.map(({ metadata }) => metadata.name);
const rbac = '/apis/rbac.authorization.k8s.io/v1';

// Helm sends some hundred requests to the API server per release.
describe('releases that are installed', { timeout: 180_000 }, () => {
  const releaseValues = merged(needed, bundled, { global: { trial: false } });
  const values = merged(releaseValues, { 'cluster-sync': { ownCluster: { name: 'own' } } });
  const install = (namespace: string) =>
    helm.helm(['install', 'berth', chart, '--namespace', namespace, '--create-namespace'], values);
  const upgradeRelease = (namespace: string) =>
    helm.helm(['upgrade', 'berth', chart, '--namespace', namespace, '--timeout', '60s'], values);
  const secret = async (namespace: string, name: string) =>
    SecretData.parse(await read(`/api/v1/namespaces/${namespace}/secrets/${name}`)).data;
  const made = ['berth-keys', 'berth-nats-passwords', 'berth-database'];
  const secretsOf = (namespace: string) => Promise.all(made.map((name) => secret(namespace, name)));

  test('do not affect each other if they have the same name in two namespaces', async () => {
    await install('one');
    await install('two');

    const [first, second] = [await secretsOf('one'), await secretsOf('two')];
    expect(first).not.toEqual(second);
    const before = await secretsOf('two');
    const clusterWide = async () =>
      [...(await namesAt(`${rbac}/clusterroles`)), ...(await namesAt(`${rbac}/clusterrolebindings`))].filter((name) =>
        name.includes('berth'),
      );
    expect((await clusterWide()).filter((name) => !/^(one|two)-berth-/.test(name))).toEqual([]);
    const ofTwo = (await clusterWide()).filter((name) => name.startsWith('two-'));

    await helm.helm(['uninstall', 'berth', '--namespace', 'one', '--wait']);

    expect(await clusterWide()).toEqual(ofTwo);
    expect(await secretsOf('two')).toEqual(before);
    expect(await namesAt('/apis/apps/v1/namespaces/two/deployments')).toHaveLength(6);
    expect(await namesAt('/apis/apps/v1/namespaces/one/deployments')).toEqual([]);
    // Keys and data volumes remain after a release is removed.
    expect(await namesAt('/api/v1/namespaces/one/secrets')).toEqual(expect.arrayContaining(made));

    await install('one');

    expect(await secretsOf('one')).toEqual(first);
  });

  test('keep their keys and passwords in an upgrade, which migrates before it replaces pods', async () => {
    await install('three');
    const before = await secretsOf('three');

    await upgradeRelease('three');

    expect(await secretsOf('three')).toEqual(before);
    const hooks = await helm.helm(['get', 'hooks', 'berth', '--namespace', 'three']);
    for (const name of ['auth', 'tasks', 'cluster-sync', 'registry-scan']) {
      expect(hooks).toContain(`name: berth-${name}-migrate`);
    }
    expect(hooks.match(/helm\.sh\/hook: pre-upgrade/g)).toHaveLength(5);
  });

  test('are never upgraded with new keys when their keys are gone', async () => {
    await install('four');
    await cluster.api.deleteJson('/api/v1/namespaces/four/secrets/berth-keys', {}, call());

    await expect(upgradeRelease('four')).rejects.toThrow(
      'global.keys.existingSecret: the Secret berth-keys of this release is gone',
    );
  });

  test('restart exactly the pods that read a changed password, and none in an upgrade without changes', async () => {
    const places: readonly [string, string][] = [
      ['deployments', 'berth-auth'],
      ['deployments', 'berth-tasks'],
      ['statefulsets', 'berth-nats'],
      ['statefulsets', 'berth-postgresql'],
    ];
    const generations = () =>
      Promise.all(
        places.map(async ([plural, name]) =>
          Generation.parse(await read(`/apis/apps/v1/namespaces/three/${plural}/${name}`)),
        ),
      ).then((objects) => objects.map(({ metadata }) => metadata.generation));
    const [auth = 0, tasks = 0, nats = 0, postgresql = 0] = await generations();

    await upgradeRelease('three');
    expect(await generations()).toEqual([auth, tasks, nats, postgresql]);

    const data = { auth: Buffer.from('another-password').toString('base64') };
    await cluster.api.patchJson('/api/v1/namespaces/three/secrets/berth-nats-passwords', { data }, call());
    await upgradeRelease('three');

    expect(await generations()).toEqual([auth + 1, tasks, nats + 1, postgresql]);
  });

  test('keep their database when an operator of databases comes, and refuse another kind with the way to move', async () => {
    const to = (values: Values) =>
      helm.helm(['upgrade', 'berth', chart, '--namespace', 'three', '--timeout', '60s'], merged(releaseValues, values));
    const servers = () => namesAt('/apis/apps/v1/namespaces/three/statefulsets');
    const way = /kubectl --namespace three delete configmap\/berth-database-kind statefulset\/berth-postgresql,/;
    expect(await servers()).toContain('berth-postgresql');

    await expect(to(byOperator)).rejects.toThrow(/global\.postgresql\.bundledKind: .*kind pod/);
    await expect(to(byOperator)).rejects.toThrow(way);
    await expect(to({ global: { postgresql: urlsBrought } })).rejects.toThrow(
      /global\.postgresql\.bundled: .*kind pod/,
    );
    // As a tool that renders without a cluster would.
    const record = '/api/v1/namespaces/three/configmaps/berth-database-kind';
    await expect(cluster.api.patchJson(record, { data: { kind: 'external' } }, call())).rejects.toThrow(/immutable/);
    // Versions before this one recorded nothing.
    await cluster.api.deleteJson(record, {}, call());
    await expect(to(byOperator)).rejects.toThrow(/delete statefulset\/berth-postgresql,/);
    expect(await servers()).toContain('berth-postgresql');

    await cluster.api.deleteJson('/apis/apps/v1/namespaces/three/statefulsets/berth-postgresql', {}, call());
    await to(byOperator);

    expect(await namesAt('/apis/postgresql.cnpg.io/v1/namespaces/three/clusters')).toEqual(['berth-postgresql']);
    expect(await read(record)).toMatchObject({ data: { kind: 'cloudnative-pg' } });
  });

  test('of two namespaces read clusters from the Secrets of one namespace', async () => {
    const shared = merged(releaseValues, { 'cluster-sync': { clusterSecrets: { namespace: 'clusters' } } });
    for (const namespace of ['two', 'four']) {
      const upgraded = ['upgrade', '--install', 'berth-b', chart, '--namespace', namespace, '--create-namespace'];
      await helm.helm(upgraded, shared);
    }

    const roles = await namesAt(`${rbac}/namespaces/clusters/rolebindings`);
    expect(roles.filter((name) => name.includes('berth-b'))).toEqual([
      'four-berth-b-cluster-sync',
      'two-berth-b-cluster-sync',
    ]);
  });

  test('reuse the Secrets of a backup if nothing else is left', async () => {
    await install('five');
    const before = await secretsOf('five');
    const paths = made.map((name) => `/api/v1/namespaces/five/secrets/${name}`);
    const backup = await Promise.all(
      paths.map(async (path) => z.looseObject({ metadata: z.looseObject({}) }).parse(await read(path))),
    );
    await helm.helm(['uninstall', 'berth', '--namespace', 'five', '--wait']);
    for (const path of paths) await cluster.api.deleteJson(path, {}, call());

    for (const { metadata, ...secret } of backup) {
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _created,
        managedFields: _fields,
        ...kept
      } = metadata;
      await create('/api/v1/namespaces/five/secrets', { ...secret, metadata: kept });
    }
    await install('five');

    expect(await secretsOf('five')).toEqual(before);
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ClusterInTest, startClusterInTest } from '../support/cluster-in-test.ts';
import { chart, type HelmInTest, merged, root, startHelm, type Values } from '../support/helm-in-test.ts';

const run = promisify(execFile);

/** A version before kinds of databases were recorded, checksums of Secrets and global.trial. */
const revision = process.env['BERTH_PREVIOUS'] ?? 'b87571e';
/** Not in archives of sources and shallow clones. */
const hasRevision = await run('git', ['cat-file', '-e', `${revision}:deploy/berth/Chart.yaml`], { cwd: root }).then(
  () => true,
  () => false,
);

const Named = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });
const Names = z.object({ items: z.array(Named) });
const SecretData = z.object({ data: z.record(z.string(), z.string()) });
const Generations = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string(), generation: z.number() }) })),
});

describe.skipIf(!hasRevision)(`a release of ${revision}`, { timeout: 600_000 }, () => {
  let cluster: ClusterInTest;
  let helm: HelmInTest;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-earlier-'));
    const archive = join(folder, 'chart.tar');
    await run('git', ['archive', '--output', archive, revision, 'deploy/berth'], { cwd: root });
    await run('tar', ['--extract', '--file', archive, '--directory', folder]);
    cluster = await startClusterInTest();
    helm = await startHelm({ KUBECONFIG: cluster.kubeconfigFile });
  }, 20 * 60_000);
  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const call = () => ({ signal: AbortSignal.timeout(60_000), deadlineMs: 60_000 });
  const read = (path: string) => cluster.api.getJson(path, call());
  const uids = async (namespace: string, plural: string) =>
    Object.fromEntries(
      Names.parse(await read(`/apis/apps/v1/namespaces/${namespace}/${plural}`)).items.map(({ metadata }) => [
        metadata.name,
        metadata.uid,
      ]),
    );
  const generations = async (namespace: string) => {
    const ofKind = async (plural: string) =>
      Generations.parse(await read(`/apis/apps/v1/namespaces/${namespace}/${plural}`)).items.map(({ metadata }) => [
        metadata.name,
        metadata.generation,
      ]);
    return [...(await ofKind('deployments')), ...(await ofKind('statefulsets'))];
  };
  const secretsOf = (namespace: string, names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => SecretData.parse(await read(`/api/v1/namespaces/${namespace}/secrets/${name}`)).data),
    );
  const bringSecret = async (namespace: string, name: string, stringData: Record<string, string>) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
    await cluster.api.postJson(`/api/v1/namespaces/${namespace}/secrets`, secret, call());
  };

  const usual: Values = {
    global: { image: { registry: 'registry.example.com/berth' }, ownUrl: 'https://berth.example.com' },
    auth: { oidc: { issuer: 'https://id.example.com', existingSecret: 'berth-oidc' } },
  };
  const evaluation = merged(usual, {
    global: { postgresql: { bundled: true }, nats: { bundled: true, servers: 3, replicas: 3 } },
    'cluster-sync': { ownCluster: { name: 'own' } },
  });
  const brought = merged(usual, {
    global: {
      keys: { existingSecret: 'own-keys' },
      postgresql: { existingSecret: 'own-urls' },
      nats: { url: 'nats://nats.nats:4222', existingSecret: 'own-nats' },
    },
  });

  test.for<[string, string, Values, readonly string[]]>([
    ['of an evaluation', 'evaluated', evaluation, ['berth-keys', 'berth-nats-passwords', 'berth-database']],
    ['with Secrets and servers of its own', 'brought', brought, ['own-keys', 'own-urls', 'own-nats']],
  ])('%s is upgraded by the command of the guide, and loses nothing', async ([, namespace, values, secrets]) => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await cluster.api.postJson('/api/v1/namespaces', object, call());
    await bringSecret(namespace, 'own-keys', { auth: 'a', tasks: 'b' });
    await bringSecret(namespace, 'own-urls', { auth: 'a', tasks: 'b', cluster_sync: 'c', registry_scan: 'd' });
    await bringSecret(namespace, 'own-nats', { runner: 'r' });
    await helm.helm(['install', 'berth', join(folder, 'deploy/berth'), '-n', namespace], values);
    const whatStays = async () => ({
      // An upgrade may add a password, such as that of routes between servers of NATS.
      secrets: await secretsOf(namespace, secrets),
      servers: await uids(namespace, 'statefulsets'),
      parts: await uids(namespace, 'deployments'),
    });
    const before = await whatStays();

    const upgrade = () =>
      helm.helm(['upgrade', 'berth', chart, '-n', namespace, '--reset-then-reuse-values', '--timeout', '120s']);
    await upgrade();

    expect(await whatStays()).toMatchObject(before);
    const kind = namespace === 'evaluated' ? 'pod' : 'external';
    expect(await read(`/api/v1/namespaces/${namespace}/configmaps/berth-database-kind`)).toMatchObject({
      data: { kind },
    });

    // The first upgrade rolls everything; the next one nothing.
    const rolled = await generations(namespace);
    await upgrade();
    expect(await generations(namespace)).toEqual(rolled);

    // The version before works with what is there, as after an upgrade that turns out to be wrong.
    await helm.helm(['rollback', 'berth', '1', '-n', namespace]);
    expect(await whatStays()).toMatchObject(before);
    await upgrade();
    expect(await whatStays()).toMatchObject(before);
  });
});

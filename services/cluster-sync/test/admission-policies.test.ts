import { randomUUID } from 'node:crypto';
import { applyRbac } from '@berth/devstack/testing/apply-rbac';
import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ClusterInTest, startClusterInTest } from './support/cluster-in-test.ts';

let cluster: ClusterInTest;
let admin: KubeApi;
/** Namespaces of a deployment with the hostname shop, of a deployment without a hostname, and of somebody else. */
const [shop, nameless, foreign] = ['web-shop', 'web-nameless', 'foreign'] as const;

beforeAll(async () => {
  cluster = await startClusterInTest();
  admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'cluster-sync', 'hostnames-policy', 'release-records-policy');
  const annotations = { 'berth.dev/hostname': 'shop.apps.example.com' };
  for (const metadata of [
    { name: shop, labels: managedLabels, annotations },
    { name: nameless, labels: managedLabels },
    { name: foreign, annotations },
  ])
    await admin.postJson('/api/v1/namespaces', { metadata }, call());
  // The API server applies a policy only a moment after its creation.
  await vi.waitUntil(async () => (await outcome(shop, ingress('berth.example.com'))) !== 'admitted', { interval: 200 });
  await vi.waitUntil(async () => (await written(shop, { name: recordOf(shop) })) !== 'admitted', { interval: 200 });
});
afterAll(async () => {
  admin?.[Symbol.dispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const backend = { service: { name: 'web', port: { number: 80 } } };
const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] };
const ingress = (...hosts: string[]) => ({ rules: hosts.map((host) => ({ ...(host !== '' && { host }), http })) });

/** `admitted`, or the words of the refusal. */
const outcome = (namespace: string, spec: object, annotations: Record<string, string> = {}): Promise<string> =>
  admin
    .postJson(
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses?dryRun=All`,
      { metadata: { name: `web-${randomUUID()}`, annotations }, spec },
      call(),
    )
    .then(
      () => 'admitted',
      (error: unknown) => /denied request: (.*)$/.exec(String(error))?.[1] ?? String(error),
    );

test.for<[string, string, object, Record<string, string>?]>([
  ['its own hostname', shop, { ...ingress('shop.apps.example.com'), tls: [{ hosts: ['shop.apps.example.com'] }] }],
  ['a host outside of the ingress domain', shop, ingress('shop.example.org')],
  ['a host that only ends like the ingress domain', nameless, ingress('other-apps.example.com')],
  ['its own hostname as an alias', shop, ingress('shop.example.org'), alias('shop.apps.example.com')],
])('a deployment may take %s', async ([, namespace, spec, annotations]) => {
  expect(await outcome(namespace, spec, annotations)).toBe('admitted');
});

const own = 'lies in the ingress domain apps.example.com, of which this deployment has shop.apps.example.com alone';
const ofBerth = 'is a host of Berth itself, which no deployment may take';
const everyHost = 'a rule without a host, or a default backend, takes the requests for every hostname: name a host';

test.for<[string, string, object, Record<string, string>?]>([
  [`Berth: other.apps.example.com ${own}`, shop, ingress('shop.apps.example.com', 'other.apps.example.com')],
  [`Berth: a.shop.apps.example.com ${own}`, shop, ingress('a.shop.apps.example.com')],
  [`Berth: apps.example.com ${own}`, shop, ingress('apps.example.com')],
  [`Berth: *.apps.example.com ${own}`, shop, ingress('*.apps.example.com')],
  [
    `Berth: other.apps.example.com ${own}`,
    shop,
    ingress('shop.example.org'),
    alias('a.example.org, Other.apps.example.com'),
  ],
  [
    `Berth: other.apps.example.com ${own}`,
    shop,
    { ...ingress('shop.example.org'), tls: [{ hosts: ['other.apps.example.com'] }] },
  ],
  [
    'Berth: shop.apps.example.com lies in the ingress domain apps.example.com, of which this deployment has no hostname',
    nameless,
    ingress('shop.apps.example.com'),
  ],
  [`Berth: berth.example.com ${ofBerth}`, shop, ingress('berth.example.com')],
  [`Berth: *.example.com ${ofBerth}`, shop, ingress('*.example.com')],
  [`Berth: ${everyHost}`, shop, ingress('')],
  [`Berth: ${everyHost}`, shop, { ...ingress('shop.apps.example.com'), defaultBackend: backend }],
  [`Berth: ${everyHost}`, shop, { defaultBackend: backend }],
  [`Berth: ${everyHost}`, shop, ingress('shop.example.org'), alias('~^.*$')],
])('an Ingress is refused: %s', async ([words, namespace, spec, annotations]) => {
  expect(await outcome(namespace, spec, annotations)).toBe(words);
});

test('no writer can give a Service the addresses of others, and foreign namespaces are left alone', async () => {
  const service = (namespace: string, spec: object) =>
    admin
      .postJson(
        `/api/v1/namespaces/${namespace}/services?dryRun=All`,
        { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], ...spec } },
        call(),
      )
      .then(
        () => 'admitted',
        (error: unknown) => /denied request: (.*)$/.exec(String(error))?.[1] ?? String(error),
      );
  const external = { externalIPs: ['10.0.0.53'] };
  // The API server applies the policy only a moment after its creation.
  await vi.waitUntil(async () => (await service(shop, external)) !== 'admitted', { interval: 200 });

  expect(await service(shop, external)).toBe(
    'Berth: a Service may not have externalIPs, which take over the addresses of others',
  );
  expect(await service(shop, {})).toBe('admitted');
  expect(await service(foreign, external)).toBe('admitted');
});

test('Ingresses in foreign namespaces are admitted', async () => {
  expect(await outcome(foreign, ingress('other.apps.example.com'))).toBe('admitted');
});

test('an existing Ingress cannot be changed to another hostname', async () => {
  const folder = `/apis/networking.k8s.io/v1/namespaces/${shop}/ingresses`;
  await admin.postJson(folder, { metadata: { name: 'mine' }, spec: ingress('shop.apps.example.com') }, call());

  await expect(admin.patchJson(`${folder}/mine`, { spec: ingress('other.apps.example.com') }, call())).rejects.toThrow(
    `other.apps.example.com ${own}`,
  );
});

test.for<[string, object]>([
  [`Berth: other.apps.example.com ${own}`, { hostnames: ['other.apps.example.com'] }],
  [`Berth: ${everyHost}`, {}],
])('an HTTPRoute is refused: %s', async ([words, spec]) => {
  await installHttpRoutes();
  const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'web' }, spec };

  await expect(
    vi.waitFor(
      () =>
        admin
          .postJson(`/apis/gateway.networking.k8s.io/v1/namespaces/${shop}/httproutes`, route, call())
          .catch(unlessMissing),
      { interval: 200 },
    ),
  ).resolves.toContain(words);
});

const recordOf = (release: string) => `sh.helm.release.v1.${release}.v2`;

/** Creates a Secret, without effect: `admitted`, or the words of the refusal. */
const written = (namespace: string, metadata: object, api = admin): Promise<string> =>
  api.postJson(`/api/v1/namespaces/${namespace}/secrets?dryRun=All`, { metadata }, call()).then(
    () => 'admitted',
    (error: unknown) => /denied request: (.*)$/.exec(String(error))?.[1] ?? String(error),
  );

const ofHelm =
  'Berth: only the Helm of a deployment writes the records of its release; this policy names the namespace of its account';

test.for<[string, string, object, string]>([
  ['with the name of a record', shop, { name: recordOf(shop) }, ofHelm],
  ['with the labels of a record', shop, { name: 'any', labels: { owner: 'helm', name: shop } }, ofHelm],
  ['of another release', shop, { name: recordOf('other'), labels: { owner: 'helm', name: 'other' } }, 'admitted'],
  ['with a label of its own', shop, { name: 'any', labels: { owner: 'helm' } }, 'admitted'],
  ['in a namespace of somebody else', foreign, { name: recordOf(foreign) }, 'admitted'],
])('only deployments write a Secret %s if it is a record of their release', async ([, namespace, metadata, words]) => {
  expect(await written(namespace, metadata)).toBe(words);
});

test('only the account of a deployment writes a record, changes it, or turns another Secret into one', async () => {
  using deployer = await accountIn('berth-deployers');
  const folder = `/api/v1/namespaces/${shop}/secrets`;
  const record = { name: recordOf(shop), labels: { owner: 'helm', name: shop } };
  await deployer.api.postJson(folder, { metadata: record }, call());
  await admin.postJson(folder, { metadata: { name: 'other' } }, call());

  const change = { stringData: { release: 'forged' } };
  await expect(admin.patchJson(`${folder}/${record.name}`, change, call())).rejects.toThrow(ofHelm);
  const relabelled = { metadata: { labels: record.labels } };
  await expect(admin.patchJson(`${folder}/other`, relabelled, call())).rejects.toThrow(ofHelm);
  await deployer.api.patchJson(`${folder}/${record.name}`, change, call());
});

/** A client with the token of an account in that namespace, which may do everything. */
async function accountIn(namespace: string): Promise<Disposable & { api: KubeApi }> {
  const name = 'deployment-x';
  await admin.postJson('/api/v1/namespaces', { metadata: { name: namespace } }, call());
  await admin.postJson(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } }, call());
  const binding = {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  };
  await admin.postJson('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding, call());
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await admin.postJson(path, { spec: { expirationSeconds: 3_600 } }, call());
  const { token } = z.object({ status: z.object({ token: z.string() }) }).parse(answer).status;
  const { server, ca } = cluster.access;
  const api = openKubeApi({ server, ca, token, certificate: null });
  return { api, [Symbol.dispose]: () => api[Symbol.dispose]() };
}

/** The words of a refusal; throws while the API server does not know the kind yet. */
function unlessMissing(error: unknown): string {
  if (/denied request/.test(String(error))) return String(error);
  throw error;
}

function alias(hosts: string) {
  return { 'nginx.ingress.kubernetes.io/server-alias': hosts };
}

async function installHttpRoutes(): Promise<void> {
  const group = 'gateway.networking.k8s.io';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const crd = {
    metadata: {
      name: `httproutes.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api/pull/3328' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'httproutes', singular: 'httproute', kind: 'HTTPRoute', listKind: 'HTTPRouteList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  await admin
    .postJson('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd, call())
    .catch((error: unknown) => {
      if (!String(error).includes('AlreadyExists')) throw error;
    });
}

import { randomUUID } from 'node:crypto';
import { accountToken, applyRbac } from '@berth/devstack/testing/apply-rbac';
import { managedBy, managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import type { ClusterRoleGrant } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { createLog } from '@berth/service/logging/create-log';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { bindGrants } from '../../src/grants/bind-grants.ts';
import { type BindingRepository, createBindingRepository } from '../../src/grants/binding-repository.ts';
import { guardsRecords } from '../../src/grants/guards-records.ts';
import { removeOnce, removeWithdrawnBindings } from '../../src/grants/remove-withdrawn-bindings.ts';
import { type ClusterInTest, startClusterInTest } from '../support/cluster-in-test.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const envId = randomUUID();
const kindId = randomUUID();

let cluster: ClusterInTest;
let database: OpenTestDatabase;
let admin: KubeApi;
/** The API with the account of cluster-sync. */
let api: KubeApi;
let bindings: BindingRepository;
let clusterId: string;

beforeAll(async () => {
  [cluster, database] = await Promise.all([
    startClusterInTest(),
    openTestDatabase({ service: 'cluster-sync', migrations }),
  ]);
  admin = openKubeApi(cluster.access);
  await applyRbac(admin, 'cluster-sync', 'grant-example', 'release-records-policy');
  const { server, ca } = cluster.access;
  api = openKubeApi({ server, ca, token: await accountToken(admin, 'berth-cluster-sync'), certificate: null });
  bindings = createBindingRepository(database.db);
  const { namespace } = await newNamespace();
  // The API server applies a policy only a moment after its creation.
  await vi.waitUntil(() => guardsRecords(api, namespace, call()), { interval: 200 });
});
afterAll(async () => {
  api?.[Symbol.dispose]();
  admin?.[Symbol.dispose]();
  await database?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const { db } = database;
  await db.query(sql.unsafe`truncate k8s_clusters, cluster_role_grants cascade`);
  clusterId = randomUUID();
  await db.query(sql.unsafe`
    insert into k8s_clusters (id, provider_id, name, region_name, ignore, env_id)
    values (${clusterId}, 'test:real', 'real', 'here', false, ${envId})
  `);
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const Items = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }) }),
  ),
});

async function newNamespace({ labels = managedLabels }: { labels?: Record<string, string> } = {}) {
  const namespace = `web-${randomUUID().slice(0, 8)}`;
  await admin.postJson('/api/v1/namespaces', { metadata: { name: namespace, labels } }, call());
  return { namespace };
}

/** A namespace with its deployment. */
async function newPlace(options: { labels?: Record<string, string> } = {}) {
  const { namespace } = await newNamespace(options);
  const deploymentId = randomUUID();
  await database.db.query(sql.unsafe`
    insert into deployment_namespaces (cluster_id, name, deployment_id, mark)
    values (${clusterId}, ${namespace}, ${deploymentId}, 'made')
  `);
  const account = { namespace: 'berth-deployers', name: `deployment-${deploymentId}` };
  return { api, clusterId, kindId, namespace, deploymentId, account };
}
type Place = Awaited<ReturnType<typeof newPlace>>;

async function grant(fields: Partial<ClusterRoleGrant> = {}): Promise<string> {
  const id = randomUUID();
  const { env_id = envId, kind_id = kindId, cluster_role = 'widgets-operator', scope = 'Cluster' } = fields;
  await database.db.query(sql.unsafe`
    insert into cluster_role_grants (id, env_id, kind_id, cluster_role, scope)
    values (${id}, ${env_id}, ${kind_id}, ${cluster_role}, ${scope})
  `);
  return id;
}
const revoke = (id: string) => database.db.query(sql.unsafe`delete from cluster_role_grants where id = ${id}`);

/** A ClusterRole that cluster-sync may bind, released for grants unless the labels say otherwise. */
async function newRole({
  labels = { 'berth.dev/grantable': 'true' },
  annotations = {},
  rules = [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
}: object & {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  rules?: object[];
} = {}): Promise<string> {
  const name = `role-${randomUUID().slice(0, 8)}`;
  await admin.postJson(`${rbac}/clusterroles`, { metadata: { name, labels, annotations }, rules }, call());
  const verbs = {
    metadata: { name: `bind-${name}` },
    rules: [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: [name], verbs: ['bind'] },
    ],
  };
  await admin.postJson(`${rbac}/clusterroles`, verbs, call());
  await admin.postJson(
    `${rbac}/clusterrolebindings`,
    {
      metadata: { name: `bind-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `bind-${name}` },
      subjects: [{ kind: 'ServiceAccount', name: 'berth-cluster-sync', namespace: 'berth-system' }],
    },
    call(),
  );
  return name;
}

const bind = (place: Place) => bindGrants({ bindingRepository: bindings })(place, AbortSignal.timeout(20_000));

/** The names of the bindings that were made for the deployment. */
async function bindingsOf({ namespace, deploymentId }: Place) {
  const namesIn = async (path: string) =>
    Items.parse(await admin.getJson(path, call()))
      .items.filter(({ metadata }) => metadata.annotations[namespaceAnnotations.deploymentId] === deploymentId)
      .map(({ metadata }) => metadata.name);
  return {
    Namespace: await namesIn(`${rbac}/namespaces/${namespace}/rolebindings`),
    Cluster: await namesIn(`${rbac}/clusterrolebindings`),
  };
}

/** Whether the account of the deployment may read widgets in the namespace, according to the API server. */
async function mayRead({ account }: Place, namespace: string): Promise<boolean> {
  const review = {
    spec: {
      user: `system:serviceaccount:${account.namespace}:${account.name}`,
      resourceAttributes: { group: 'example.com', resource: 'widgets', verb: 'get', namespace },
    },
  };
  const answer = await admin.postJson('/apis/authorization.k8s.io/v1/subjectaccessreviews', review, call());
  return z.object({ status: z.object({ allowed: z.boolean() }) }).parse(answer).status.allowed;
}
const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { interval: 100 });
const removeNow = () =>
  removeOnce({ bindingRepository: bindings }, { id: clusterId, api }, AbortSignal.timeout(20_000));

test('a grant of scope Namespace gives the account of the deployment the role only in its namespace; scope Cluster gives it everywhere', async () => {
  const place = await newPlace();
  await grant({ scope: 'Namespace' });

  expect(await bind(place)).toEqual({
    clusterRoles: [{ cluster_role: 'widgets-operator', scope: 'Namespace' }],
    refused: [],
    podSecurity: null,
  });
  await soon(async () => expect(await mayRead(place, place.namespace)).toBe(true));
  expect(await mayRead(place, 'default')).toBe(false);

  await grant();
  expect((await bind(place)).clusterRoles).toHaveLength(2);
  await soon(async () => expect(await mayRead(place, 'default')).toBe(true));
});

test('grants for another kind, or for an env other than that of the cluster, have no effect', async () => {
  const place = await newPlace();
  await grant({ kind_id: randomUUID() });
  await grant({ env_id: randomUUID() });

  expect(await bind(place)).toEqual({ clusterRoles: [], refused: [], podSecurity: null });
  expect((await bindingsOf(place)).Cluster).toEqual([]);
});

test('repeated and concurrent binds create a single binding', async () => {
  const place = await newPlace();
  await grant();

  const answers = await Promise.all([bind(place), bind(place), bind(place)]);

  for (const { clusterRoles } of answers) expect(clusterRoles).toHaveLength(1);
  expect((await bind(place)).refused).toEqual([]);
  expect((await bindingsOf(place)).Cluster).toHaveLength(1);
});

test('a binding whose subjects the chart changed is recreated', async () => {
  const place = await newPlace();
  await grant({ scope: 'Namespace' });
  await bind(place);
  const [name = ''] = (await bindingsOf(place)).Namespace;
  const path = `${rbac}/namespaces/${place.namespace}/rolebindings/${name}`;
  const stranger = { kind: 'ServiceAccount', name: 'default', namespace: place.namespace };
  await admin.patchJson(path, { subjects: [stranger] }, call());

  await bind(place);

  const { subjects } = z
    .object({ subjects: z.array(z.looseObject({ name: z.string() })) })
    .parse(await admin.getJson(path, call()));
  expect(subjects.map((subject) => subject.name)).toEqual([place.account.name]);
});

test('a changed binding that a finalizer holds is not reported as bound, and the next attempt binds under another name', async () => {
  const place = await newPlace();
  await grant({ scope: 'Namespace' });
  await bind(place);
  const folder = `${rbac}/namespaces/${place.namespace}/rolebindings`;
  const [held = ''] = (await bindingsOf(place)).Namespace;
  const stranger = { kind: 'ServiceAccount', name: 'default', namespace: place.namespace };
  const change = { subjects: [stranger], metadata: { finalizers: ['example.com/stays'] } };
  await admin.patchJson(`${folder}/${held}`, change, call());

  expect(await bind(place)).toEqual({
    clusterRoles: [],
    refused: [
      'The binding of the ClusterRole widgets-operator, which a grant names, was changed in the cluster and cannot be replaced, perhaps because of a finalizer: retry the task, which binds the role under another name',
    ],
    podSecurity: null,
  });

  expect((await bind(place)).clusterRoles).toEqual([{ cluster_role: 'widgets-operator', scope: 'Namespace' }]);
  await soon(async () => expect(await mayRead(place, place.namespace)).toBe(true));
  await removeNow();
  await removeNow();
  const { Namespace } = await bindingsOf(place);
  expect(Namespace).toHaveLength(1);
  expect(Namespace).not.toContain(held);
});

test('a binding that is created after its removal was final is removed at once', async () => {
  const place = await newPlace();
  const id = await grant();
  // The process sleeps before it creates the binding, for longer than removed bindings are kept on record.
  const postJson: KubeApi['postJson'] = async (path, body, options) => {
    if (path.endsWith('clusterrolebindings')) {
      await revoke(id);
      await removeNow();
      await database.db.query(sql.unsafe`
        update granted_bindings set withdrawn_at = now() - interval '1 hour' where grant_id = ${id}
      `);
      await removeNow();
    }
    return api.postJson(path, body, options);
  };

  const { clusterRoles, refused } = await bind({ ...place, api: { ...api, postJson } });

  expect(clusterRoles).toEqual([]);
  expect(refused).toEqual(['The grant of the ClusterRole widgets-operator was revoked while it was bound']);
  expect((await bindingsOf(place)).Cluster).toEqual([]);
});

test('a ClusterRole that is missing, lacks the label, or may not be bound has no effect, and the reason names who can change that', async () => {
  const place = await newPlace();
  const unlabelled = await newRole({ labels: {} });
  await admin.postJson(
    `${rbac}/clusterroles`,
    {
      metadata: { name: 'unbindable', labels: { 'berth.dev/grantable': 'true' } },
      rules: [{ apiGroups: ['example.com'], resources: ['*'], verbs: ['get'] }],
    },
    call(),
  );
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }];
  const powerful = await newRole({ rules });
  const accepted = await newRole({ rules, annotations: { 'berth.dev/cluster-admin': 'accepted' } });
  for (const cluster_role of [
    'missing',
    unlabelled,
    'unbindable',
    'cluster-admin',
    'widgets-operator',
    powerful,
    accepted,
  ])
    await grant({ cluster_role });

  const { clusterRoles, refused } = await bind(place);

  expect(clusterRoles.map(({ cluster_role }) => cluster_role).toSorted()).toEqual([accepted, 'widgets-operator']);
  const operator = 'an operator of the cluster';
  expect(refused.toSorted()).toEqual(
    [
      `The cluster has no ClusterRole missing, which a grant names: ${operator} creates it, or a site admin revokes the grant`,
      `The ClusterRole ${unlabelled}, which a grant names, lacks the label berth.dev/grantable: "true": ${operator} sets it, or a site admin revokes the grant`,
      `The ClusterRole cluster-admin, which a grant names, lacks the label berth.dev/grantable: "true": ${operator} sets it, or a site admin revokes the grant`,
      `cluster-sync may not bind the ClusterRole unbindable, which a grant names: ${operator} gives it the verb bind on unbindable, as deploy/rbac/grant-example.yaml does`,
      `The ClusterRole ${powerful}, which a grant names, amounts to an administrator of the cluster: it gives the Secrets of all namespaces. An operator of the cluster narrows it, or sets the annotation berth.dev/cluster-admin: accepted`,
    ].toSorted(),
  );
  expect((await bindingsOf(place)).Cluster).toHaveLength(2);
});

test('a grant in the whole cluster has no effect where pods can write the records of Helm, and loses the binding of before', async () => {
  const place = await newPlace();
  await grant();
  await grant({ scope: 'Namespace' });
  await bind(place);
  // The policy holds in the namespaces of deployments alone.
  await admin.patchJson(
    `/api/v1/namespaces/${place.namespace}`,
    { metadata: { labels: { [managedBy.label]: 'x' } } },
    call(),
  );
  // Its refusal could be mistaken for that of the policy.
  const quota = { metadata: { name: 'berth-release-records' }, spec: { hard: { 'count/secrets': '0' } } };
  await admin.postJson(`/api/v1/namespaces/${place.namespace}/resourcequotas`, quota, call());

  const { clusterRoles, refused } = await soon(async () => {
    const bound = await bind(place);
    expect(bound.refused).toHaveLength(1);
    return bound;
  });

  expect(clusterRoles).toEqual([{ cluster_role: 'widgets-operator', scope: 'Namespace' }]);
  expect(refused).toEqual([
    'The grant of the ClusterRole widgets-operator in the whole cluster has no effect, since pods could use it by writing the records of Helm: an operator of the cluster applies deploy/rbac/release-records-policy.yaml',
  ]);
  expect((await bindingsOf(place)).Cluster).toEqual([]);
});

test('the answer has the weakest level of pod security that a bound ClusterRole requires', async () => {
  const place = await newPlace();
  await grant({
    cluster_role: await newRole({ annotations: { 'berth.dev/pod-security': 'baseline' } }),
    scope: 'Namespace',
  });
  expect((await bind(place)).podSecurity).toBe('baseline');

  await grant({
    cluster_role: await newRole({ annotations: { 'berth.dev/pod-security': 'privileged' } }),
    scope: 'Namespace',
  });
  await grant({
    cluster_role: await newRole({ annotations: { 'berth.dev/pod-security': 'anything' } }),
    scope: 'Namespace',
  });
  expect((await bind(place)).podSecurity).toBe('privileged');
});

test('a revocation removes the bindings of a running deployment within seconds', async () => {
  const place = await newPlace();
  const ids = [await grant({ scope: 'Namespace' }), await grant()];
  await bind(place);
  await soon(async () => expect(await mayRead(place, 'default')).toBe(true));
  const stop = new AbortController();
  const log = createLog('test', { level: 'silent' });
  const removing = removeWithdrawnBindings({ bindingRepository: bindings, log }, { id: clusterId, api }, stop.signal);

  for (const id of ids) await revoke(id);

  await soon(async () => expect(await bindingsOf(place)).toEqual({ Namespace: [], Cluster: [] }));
  await soon(async () => expect(await mayRead(place, place.namespace)).toBe(false));
  stop.abort();
  await removing;
});

test('a finalizer that a chart has set on a binding does not keep a revoked right', async () => {
  const place = await newPlace();
  const id = await grant({ scope: 'Namespace' });
  await bind(place);
  const [name] = (await bindingsOf(place)).Namespace;
  const path = `${rbac}/namespaces/${place.namespace}/rolebindings/${name ?? ''}`;
  await admin.patchJson(path, { metadata: { finalizers: ['example.com/stays'] } }, call());

  await revoke(id);
  await removeNow();
  await removeNow();

  expect((await bindingsOf(place)).Namespace).toEqual([]);
});

test.for<[string, (place: Place) => Promise<unknown>]>([
  [
    'the deployment no longer owns the namespace',
    ({ namespace }) => database.db.query(sql.unsafe`delete from deployment_namespaces where name = ${namespace}`),
  ],
  ['the deployment has left the place', (place) => bindings.withdrawFrom(place)],
  [
    'the cluster is in another env',
    () => database.db.query(sql.unsafe`update k8s_clusters set env_id = ${randomUUID()}`),
  ],
])('the bindings are removed when %s', async ([, change]) => {
  const place = await newPlace();
  await grant();
  await bind(place);

  await change(place);
  await removeNow();

  expect((await bindingsOf(place)).Cluster).toEqual([]);
});

test('a binding that is created after its withdrawal is removed once calls in flight must have ended', async () => {
  const place = await newPlace();
  const id = await grant();
  const late = {
    ...place,
    api: {
      ...api,
      postJson: async (...args: Parameters<KubeApi['postJson']>) => {
        // The call read the grant, then it was revoked and the removal ran.
        await revoke(id);
        await removeNow();
        await api.postJson(...args);
        throw new Error('killed before it reads the answer');
      },
    },
  };
  await expect(bind(late)).rejects.toThrow('could not be bound');
  expect((await bindingsOf(place)).Cluster).toHaveLength(1);

  await database.db.query(sql.unsafe`update granted_bindings set withdrawn_at = withdrawn_at - interval '31 seconds'`);
  await removeNow();

  expect((await bindingsOf(place)).Cluster).toEqual([]);
  expect(await database.db.any(sql.unsafe`select from granted_bindings`)).toEqual([]);
});

test('a record without a binding, as left by a crash, is bound by the next attempt or removed with its grant', async () => {
  const place = await newPlace();
  const id = await grant();
  await bindings.record(place);
  expect((await bindingsOf(place)).Cluster).toEqual([]);

  await bind(place);
  expect((await bindingsOf(place)).Cluster).toHaveLength(1);

  await revoke(id);
  await bindings.withdrawUnwanted(clusterId);
  // The removal ended between the call and its record.
  for (const name of (await bindingsOf(place)).Cluster)
    await admin.deleteJson(`${rbac}/clusterrolebindings/${name}`, {}, call());
  await removeNow();
  expect(await bindings.toRemove(clusterId)).toEqual([]);
});

test('a cluster that does not answer makes the deploy wait, with the reason', async () => {
  const place = await newPlace();
  await grant();
  using dead = openKubeApi({ server: 'https://127.0.0.1:9', ca: null, token: 'x', certificate: null });

  await expect(bind({ ...place, api: dead })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The grants of the deployment could not be bound: 127.0.0.1:9 refused the connection',
  });
});

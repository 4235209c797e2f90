import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@berth/contracts/errors';
import { KubeError } from '@berth/kube/kube-error';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAccountRepository } from '../src/access/account-repository.ts';
import { createPrepareCluster } from '../src/access/prepare-cluster.ts';
import { removeAccount } from '../src/access/remove-account.ts';
import type { ClaimedPlace } from '../src/claimed-places/claimed-place.ts';
import { enterNamespace } from '../src/entering/enter-namespace.ts';
import { removeNamespace } from '../src/entering/remove-namespace.ts';
import { bindGrants } from '../src/grants/bind-grants.ts';
import { createBindingRepository } from '../src/grants/binding-repository.ts';
import { createNamespaceRepository } from '../src/namespaces/namespace-repository.ts';

const migrations = new URL('../migrations/', import.meta.url);
let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const Named = z.looseObject({ metadata: z.looseObject({ name: z.string(), annotations: z.unknown().optional() }) });

/** The part of an API server that entering needs. `before` runs before each request and may refuse it; `after` may lose its answer. */
function fakeCluster() {
  const objects = new Map<string, z.infer<typeof Named>>();
  let version = 0;
  const hooks = { before: () => {}, after: () => {} };
  const missing = () => new KubeError({ status: 404, body: '{"reason":"NotFound"}' });
  const put = (path: string, object: z.infer<typeof Named>) => {
    const metadata = { uid: randomUUID(), ...object.metadata, resourceVersion: `${(version += 1)}` };
    objects.set(path, { ...object, metadata });
    return { ...object, metadata };
  };
  async function request<T>(work: () => T): Promise<T> {
    hooks.before();
    const answer = work();
    hooks.after();
    return answer;
  }
  const get = (path: string) => {
    const object = objects.get(path);
    if (!object) throw missing();
    return object;
  };
  const api = {
    server: 'https://fake',
    getJson: (path: string) => request(() => get(path)),
    postJson: (path: string, body: object) =>
      request(() => {
        const inside = /^\/api\/v1\/namespaces\/([^/]+)\//.exec(path)?.[1];
        if (inside !== undefined) get(`/api/v1/namespaces/${inside}`);
        if (path.endsWith('/token')) {
          get(path.replace(/\/token$/, ''));
          return { status: { token: 'a-token', expirationTimestamp: '2030-01-01T00:00:00Z' } };
        }
        const object = Named.parse(body);
        const at = `${path}/${object.metadata.name}`;
        if (objects.has(at)) throw new KubeError({ status: 409, body: '{"reason":"AlreadyExists"}' });
        return put(at, object);
      }),
    patchJson: (path: string, body: object) =>
      request(() => {
        const { metadata } = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) }).parse(body);
        const found = get(path);
        if (found.metadata['resourceVersion'] !== metadata.resourceVersion)
          throw new KubeError({ status: 409, body: '{"reason":"Conflict"}' });
        const merged = { ...Object(found.metadata.annotations), ...Object(metadata['annotations']) };
        const given = (texts: object) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
        const labels = given({ ...Object(found.metadata['labels']), ...Object(metadata['labels']) });
        return put(path, { ...found, metadata: { ...found.metadata, annotations: given(merged), labels } });
      }),
    deleteJson: (path: string) =>
      request(() => {
        get(path);
        objects.delete(path);
        for (const inside of objects.keys()) if (inside.startsWith(`${path}/`)) objects.delete(inside);
        return {};
      }),
  };
  return { objects, hooks, api };
}

class Killed extends Error {}

/** The database, and a wait for the end of all that is under way in it, including what that begins. */
function watchedDatabase() {
  const underWay = new Set<Promise<unknown>>();
  const db = new Proxy(database.db, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        if (result instanceof Promise) {
          underWay.add(result);
          const end = () => void underWay.delete(result);
          result.then(end, end);
        }
        return result;
      };
    },
  });
  const idle = async () => {
    do {
      await Promise.allSettled(underWay);
      await nextTurn();
    } while (underWay.size > 0);
  };
  return { db, idle };
}

async function world() {
  const { db, idle } = watchedDatabase();
  const cluster = fakeCluster();
  const clusterId = randomUUID();
  await db.query(sql.unsafe`
    insert into k8s_clusters (id, provider_id, name, region_name, ignore)
    values (${clusterId}, ${clusterId}, 'one', '', false)
  `);
  const bindingRepository = createBindingRepository(db);
  const accountRepository = createAccountRepository(db);
  const deps = {
    namespaceRepository: createNamespaceRepository(db),
    accountRepository,
    bindingRepository,
    bindGrants: bindGrants({ bindingRepository }),
    // Each attempt is of another process.
    prepareCluster: createPrepareCluster('berth-deployers'),
    deployersNamespace: 'berth-deployers',
    sharedAccount: { namespace: 'berth-system', name: 'berth-runner' },
    sharesAccount: () => false,
    podSecurity: 'baseline' as const,
    accessSeconds: 3_600,
  };
  const deployment_id = randomUUID();
  const task_id = randomUUID();
  const place = (action: 'deploy' | 'uninstall', deployment = deployment_id, adopts = false): ClaimedPlace =>
    ({
      providerId: 'one',
      claim: {
        deployment_id: deployment,
        cluster_id: clusterId,
        namespace: 'web',
        helm_chart_id: null,
        is_dry_run: false,
        adopts,
        env_id: randomUUID(),
        kind_id: randomUUID(),
        task: { action, is_first: action === 'deploy', deployment_name: 'web', kind: 'Web', hostname: null },
      },
      connection: { api: cluster.api, access: { server: 'https://fake', ca: null }, token: null, revision: '' },
    }) as unknown as ClaimedPlace;
  const { signal } = new AbortController();
  const claim = (fence = 1) => ({ task_id, fence, needed_seconds: 600, confirm: async () => undefined, signal });
  const enter = (fence = 1, deployment = deployment_id) =>
    enterNamespace(deps, place('deploy', deployment), claim(fence));
  const adopt = (fence: number) => enterNamespace(deps, place('deploy', deployment_id, true), claim(fence));
  const uninstall = async (fence = 9) => {
    await enterNamespace(deps, place('uninstall'), claim(fence));
    for (let steps = 0; steps < 5; steps += 1)
      if ((await removeNamespace(deps, place('uninstall'), claim(fence))).gone) return;
    throw new Error('not gone after five steps');
  };
  const rows = async () => ({
    namespaces: await db.any(sql.type(z.object({ deployment_id: z.string(), uid: z.string().nullable() }))`
      select deployment_id, uid from deployment_namespaces where cluster_id = ${clusterId}
    `),
    accounts: (
      await db.any(sql.type(z.object({ deployment_id: z.string() }))`
        select deployment_id from deployment_accounts where cluster_id = ${clusterId}
      `)
    ).map((row) => row.deployment_id),
  });
  /** Removes the account as if it were unused, while something else happens. */
  const removeAccountDuring = (meanwhile: () => Promise<unknown>, lastUsed?: string) => {
    const deleteJson = async (at: string) => {
      await meanwhile();
      return cluster.api.deleteJson(at);
    };
    const account = { deploymentId: deployment_id, signal, ...(lastUsed !== undefined && { lastUsed }) };
    return removeAccount(deps, { clusterId, api: { deleteJson } }, account);
  };
  return { ...cluster, idle, accountRepository, deployment_id, enter, adopt, uninstall, removeAccountDuring, rows };
}

const path = '/api/v1/namespaces/web';
const binding = '/apis/rbac.authorization.k8s.io/v1/namespaces/web/rolebindings/berth-deployer';

/** Kills the process at each request in turn, before it is sent or before its answer is read, until one attempt gets through. */
async function killedAtEach(
  { hooks, idle }: Pick<Awaited<ReturnType<typeof world>>, 'hooks' | 'idle'>,
  at: 'before' | 'after',
  attempt: (n: number) => Promise<unknown>,
): Promise<number> {
  for (let kill = 1; kill < 60; kill += 1) {
    let requests = 0;
    let isDead = false;
    hooks[at] = () => {
      requests += 1;
      isDead ||= requests === kill;
      // A killed process does not send further requests.
      if (isDead) throw new Killed();
    };
    const done = await attempt(kill).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return false;
      },
    );
    hooks[at] = () => {};
    if (done && !isDead) return kill;
    // The killed attempt may have begun other requests; they reach the database before the next attempt begins.
    await idle();
  }
  throw new Error('never done');
}

test.for(['before', 'after'] as const)(
  'an adoption that is killed at every request in turn, %s it, is continued by the next attempt, and its removal leaves the namespace as it was',
  async (at) => {
    const { objects, hooks, idle, api, deployment_id, adopt, uninstall, rows } = await world();
    const labels = { team: 'shop', 'pod-security.kubernetes.io/enforce': 'privileged' };
    await api.postJson('/api/v1/namespaces', { metadata: { name: 'web', labels, annotations: { note: 'ours' } } });
    const uid = objects.get(path)?.metadata['uid'];

    const kills = await killedAtEach({ hooks, idle }, at, (n) => adopt(n));

    // A request whose answer was lost has taken effect, so the next attempt sends fewer.
    expect(kills).toBeGreaterThanOrEqual(at === 'before' ? 6 : 5);
    expect((await rows()).namespaces).toEqual([{ deployment_id, uid }]);
    expect(objects.get(path)?.metadata).toMatchObject({
      uid,
      labels: {
        team: 'shop',
        'app.kubernetes.io/managed-by': 'berth',
        'pod-security.kubernetes.io/enforce': 'baseline',
      },
      annotations: { note: 'ours', 'berth.dev/deployment-id': deployment_id },
    });

    await killedAtEach({ hooks, idle }, at, (n) => uninstall(100 + n));
    expect(objects.get(path)?.metadata).toMatchObject({ uid, labels, annotations: { note: 'ours' } });
    expect(Object.keys(Object(objects.get(path)?.metadata.annotations))).toEqual(['note']);
    expect(await rows()).toEqual({ namespaces: [], accounts: [] });
  },
);

test.for(['before', 'after'] as const)(
  'an entry that is killed at every request in turn, %s it, is continued by the next attempt, and so is the removal',
  async (at) => {
    const { objects, hooks, idle, deployment_id, enter, uninstall, rows } = await world();

    const kills = await killedAtEach({ hooks, idle }, at, (fence) => enter(fence));

    expect(kills).toBeGreaterThan(3);
    const uid = objects.get(path)?.metadata['uid'];
    expect(await rows()).toEqual({ namespaces: [{ deployment_id, uid }], accounts: [deployment_id] });
    expect(objects.get(path)?.metadata.annotations).toMatchObject({ 'berth.dev/deployment-id': deployment_id });
    expect(objects.has(binding)).toBe(true);
    expect(objects.has(`/api/v1/namespaces/berth-deployers/serviceaccounts/deployment-${deployment_id}`)).toBe(true);

    await killedAtEach({ hooks, idle }, at, (fence) => uninstall(100 + fence));

    expect(objects.has(path)).toBe(false);
    expect(await rows()).toEqual({ namespaces: [], accounts: [] });
  },
);

test('claims in several replicas enter one namespace, and the latest one holds it', async () => {
  const { objects, enter, rows, deployment_id } = await world();

  const outcomeOf = (fence: number) =>
    enter(fence).then(
      ({ state }) => state,
      (error: unknown) => (error instanceof AppError ? error.code : 'bug'),
    );
  const outcomes = await Promise.all([1, 2, 2, 3, 3, 1].map(outcomeOf));

  // An earlier claim may be taken over, but no claim finds the namespace foreign.
  expect(['entered', 'unavailable']).toEqual(expect.arrayContaining([...new Set(outcomes)]));
  const last = await enter(3);
  expect(last).toMatchObject({ state: 'entered', is_new: false });
  expect(JSON.stringify(objects.get(path)?.metadata.annotations)).toMatch(/"berth\.dev\/claim":"[^"]+:3"/);
  expect((await rows()).namespaces).toEqual([{ deployment_id, uid: objects.get(path)?.metadata['uid'] }]);
});

test('an account that a claim uses while it is removed keeps its record, so that it is removed another time', async () => {
  const { deployment_id, enter, removeAccountDuring, rows } = await world();
  await enter(1);

  await removeAccountDuring(() => enter(2));

  expect((await rows()).accounts).toEqual([deployment_id]);
  await removeAccountDuring(async () => undefined).catch(() => undefined);
  expect((await rows()).accounts).toEqual([]);
});

test('an account that is made while a removal forgets it has a record afterwards', async () => {
  const { api, deployment_id, enter, removeAccountDuring, rows } = await world();
  const { postJson } = api;
  api.postJson = async (at, body) => {
    if (at.endsWith('/serviceaccounts')) await removeAccountDuring(async () => undefined);
    return postJson(at, body);
  };

  await enter(1);

  expect((await rows()).accounts).toEqual([deployment_id]);
});

test('an uninstall after the namespace is gone leaves no account, even if the record of the account is written late', async () => {
  const { accountRepository, enter, objects, uninstall, rows } = await world();
  await enter(1);
  objects.delete(path);
  const { use } = accountRepository;
  const late: Promise<boolean>[] = [];
  accountRepository.use = (...account) => {
    const used = delay(100).then(() => use(...account));
    late.push(used);
    return used;
  };

  await uninstall();

  await Promise.all(late);
  expect(await rows()).toEqual({ namespaces: [], accounts: [] });
});

test('an account that a claim has used since it was found unused stays', async () => {
  const { deployment_id, enter, removeAccountDuring, rows } = await world();
  await enter(1);
  let deletions = 0;
  const counted = async () => void (deletions += 1);

  await removeAccountDuring(counted, '2020-01-01 00:00:00+00');

  expect(deletions).toBe(0);
  expect((await rows()).accounts).toEqual([deployment_id]);
});

test('another deployment gets the name once the namespace is gone, even if its record was left behind', async () => {
  const { objects, enter, rows } = await world();
  const other = randomUUID();
  await enter(1);
  expect(await enter(1, other)).toMatchObject({ state: 'foreign', access: null });

  objects.delete(path);

  expect(await enter(1, other)).toMatchObject({ state: 'entered', is_new: true });
  expect((await rows()).namespaces).toMatchObject([{ deployment_id: other }]);
});

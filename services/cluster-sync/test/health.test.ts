import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLease, type Lease } from '@berth/db/leases/lease';
import { AppError, found } from '@berth/contracts/errors';
import { clusterHealth } from '@berth/contracts/resources/clusters/cluster-health';
import { silentLog } from '@berth/testing/test-bus';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { leaseNameOf } from '../src/clusters/lease-name-of.ts';
import { clusterHealthHandlers } from '../src/health/cluster-health-handlers.ts';
import { createFollowedRepository } from '../src/health/followed-repository.ts';
import { reportHealth } from '../src/health/report-health.ts';
import { rollUpMarked } from '../src/health/roll-up-marked.ts';
import { createRollUpRepository } from '../src/health/roll-up-repository.ts';
import { observedObject } from '../src/resources/objects/observed-object.ts';
import { type KindName, trackedKinds } from '../src/resources/objects/tracked-kinds.ts';
import { trackedObject } from '../src/resources/objects/tracked-object.ts';
import { createK8sResourceRepository } from '../src/resources/rows/k8s-resource-repository.ts';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

let service: ServiceInTest;
let clusterId: string;
let lease: Lease;
let deploymentId: string;

beforeAll(async () => {
  service = await startServiceInTest();
  service.bus.serve(clusterHealthHandlers({ rollUpRepository: createRollUpRepository(service.db) }));
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources, leases cascade`);
  service.health = [];
  service.onHealth = () => 'recorded';
  deploymentId = randomUUID();
  clusterId = await service.addCluster({ name: 'prod', envId: null });
  const name = leaseNameOf(clusterId);
  lease = found(await acquireLease(service.db, { name, holder: 'test', ttlMs: 600_000 }), 'lease');
  await follow(true);
});

const { signal } = new AbortController();
const follow = (followed: boolean) => createFollowedRepository(service.db).save(lease, clusterId, followed);
const rollUp = () => rollUpMarked({ db: service.db })(signal);
const report = async () => {
  // Times are kept in milliseconds: one that was rounded up is due only then.
  await delay(2);
  await reportHealth({ bus: service.bus, rollUpRepository: createRollUpRepository(service.db), log: silentLog })(
    signal,
  );
};
const rollUpAndReport = async () => {
  await rollUp();
  await report();
};
const told = () => service.health.map(({ health }) => `${health.state} ${health.causes[0]?.cause ?? ''}`.trim());

const namespace = { metadata: { uid: 'ns', name: 'web' }, status: { phase: 'Active' } };
const pod = (reason: string) => ({
  metadata: { uid: 'pod', name: 'web-1', namespace: 'web' },
  status: { phase: 'Running', containerStatuses: [{ name: 'web', state: { waiting: { reason } } }] },
});
const readyPod = {
  ...pod(''),
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};

/** Writes rows as the watches do; without an object the row goes. */
const save = (uid: string, kind: KindName, object: object | null, deployment = deploymentId, place = 'web') => {
  const tracked = found(
    trackedKinds.find((each) => each.kind === kind),
    'kind',
  );
  const put = object && trackedObject(observedObject(tracked, object, { clusterId, namespace: place }), deployment);
  return createK8sResourceRepository(service.db).saveTogether([
    { clusterId, lease, changes: [put ? { uid, put } : { uid }] },
  ]);
};
/** As if the namespace had been gone for that long. */
const goneFor = (seconds: number) =>
  service.db.query(sql.unsafe`
    update health_roll_ups set due_at = now() - interval '1 s',
      held = jsonb_set(held, '{goneAt}', to_jsonb(to_char(now() at time zone 'utc' - ${seconds} * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  `);
const due = () =>
  service.db.query(sql.unsafe`update health_roll_ups set report_at = now() where report_at is not null`);

test('a change is marked with its row, so a process that is killed in between loses nothing', async () => {
  await save('ns', 'Namespace', namespace);
  await save('pod', 'Pod', pod('CrashLoopBackOff'));
  expect(told()).toEqual([]);

  // Each step by another process.
  await rollUp();
  await report();

  expect(service.health).toMatchObject([
    {
      deployment_id: deploymentId,
      cluster_id: clusterId,
      namespace: 'web',
      health: {
        state: 'Degraded',
        reason: 'Pod web-1: container web is waiting: CrashLoopBackOff',
        causes: [{ kind: 'Pod', name: 'web-1', cause: 'CrashLoopBackOff' }],
      },
    },
  ]);
});

test('replicas that roll up and report at the same time report each change once, and rows without health cause no report', async () => {
  await save('ns', 'Namespace', namespace);
  await Promise.all([rollUp(), rollUp()]);
  await Promise.all([report(), report()]);
  await save('service', 'Service', {
    metadata: { uid: 'service', name: 'web', namespace: 'web' },
    spec: { ports: [] },
  });
  await rollUpAndReport();

  expect(told()).toEqual(['Healthy']);
});

test('a report whose answer was lost is repeated with its version until it is answered, and a later state has a later one', async () => {
  await save('ns', 'Namespace', namespace);
  service.onHealth = () => {
    throw new AppError('unavailable', 'The database is away');
  };
  await rollUpAndReport();
  service.onHealth = () => 'recorded';
  await report();
  expect(told()).toEqual([]);
  await due();
  await report();
  await due();
  await report();
  expect(told()).toEqual(['Healthy']);

  await save('pod', 'Pod', pod('CrashLoopBackOff'));
  await rollUpAndReport();
  expect(told()).toEqual(['Healthy', 'Degraded CrashLoopBackOff']);
  expect(service.health[1]?.version).toBeGreaterThan(service.health[0]?.version ?? 0);
});

test('a report that tasks refuses because of a bug does not hold up others, and is tried again a minute later', async () => {
  const others = ['web-a', 'web-b'];
  await save('ns', 'Namespace', namespace);
  for (const other of others) {
    const object = { ...namespace, metadata: { uid: other, name: other } };
    await save(other, 'Namespace', object, randomUUID(), other);
  }
  service.onHealth = (refused) => {
    if (refused.namespace === 'web') throw new Error('a bug');
    return 'recorded';
  };

  await rollUpAndReport();

  expect(service.health.map((each) => each.namespace).toSorted()).toEqual(others);
  service.onHealth = () => 'recorded';
  await report();
  expect(told()).toHaveLength(2);
  await due();
  await report();
  expect(told()).toHaveLength(3);
});

test('while tasks refuses every report, none is tried again within a minute', async () => {
  await save('ns', 'Namespace', namespace);
  let refused = 0;
  service.onHealth = () => {
    refused += 1;
    throw new Error('a bug');
  };
  await rollUpAndReport();
  await report();

  expect(refused).toBe(1);
});

test('a text that a cluster puts into the metadata of an object is not taken for a cause', async () => {
  await save('ns', 'Namespace', namespace);
  const metadata = { uid: 'web', name: 'web', namespace: 'web', cause: 'x'.repeat(20_000), message: { a: 'b' } };
  const status = { updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1, observedGeneration: 1 };
  await save('web', 'Deployment', { metadata: { ...metadata, generation: 2 }, spec: { replicas: 1 }, status });

  await rollUpAndReport();

  expect(service.health[0]?.health.causes).toMatchObject([{ cause: 'Progressing', message: 'it is being rolled out' }]);
});

test('a deployment that is installed again soon after its namespace was gone is as it is, not as it was', async () => {
  await save('ns', 'Namespace', namespace);
  await save('pod', 'Pod', pod('CrashLoopBackOff'));
  await rollUpAndReport();
  await save('pod', 'Pod', null);
  await save('ns', 'Namespace', null);
  await rollUp();
  await save('ns2', 'Namespace', { ...namespace, metadata: { uid: 'ns2', name: 'web' } });
  await rollUpAndReport();
  expect(told()).toEqual(['Degraded CrashLoopBackOff', 'Healthy']);

  await save('ns2', 'Namespace', null);
  await rollUp();
  await goneFor(6);
  await rollUpAndReport();
  await save('ns3', 'Namespace', { ...namespace, metadata: { uid: 'ns3', name: 'web' } });
  await rollUpAndReport();
  expect(told().slice(2)).toEqual(['Degraded NamespaceGone', 'Healthy']);
});

test('a report that tasks does not record is repeated: under a later version if it is outdated', async () => {
  await save('ns', 'Namespace', namespace);
  service.onHealth = () => 'elsewhere';
  await rollUpAndReport();
  service.onHealth = () => 'silent';
  await due();
  await report();
  service.onHealth = () => 'outdated';
  await due();
  await report();
  service.onHealth = () => 'recorded';
  await due();
  await rollUpAndReport();
  await due();
  await rollUpAndReport();

  expect(told()).toEqual(['Healthy', 'Healthy', 'Healthy', 'Healthy']);
  const [first, second, third, last] = service.health.map(({ version }) => version);
  expect([second, third]).toEqual([first, first]);
  expect(last).toBeGreaterThan(first ?? 0);
});

test('nothing is reported until the watches of a cluster have caught up', async () => {
  await save('ns', 'Namespace', namespace);
  await rollUp();
  await follow(false);
  await report();
  await save('pod', 'Pod', pod('ErrImagePull'));
  await rollUpAndReport();
  expect(told()).toEqual([]);

  await follow(true);
  await rollUpAndReport();

  expect(told()).toEqual(['Degraded ErrImagePull']);
});

test('a replica that has lost the cluster can no longer say that it has caught up', async () => {
  await follow(false);
  await createFollowedRepository(service.db).save({ ...lease, fence: lease.fence + 1 }, clusterId, true);
  await save('ns', 'Namespace', namespace);
  await rollUpAndReport();

  expect(told()).toEqual([]);
});

test('tasks asks for reports again, and learns which deployments have no objects', async () => {
  await save('ns', 'Namespace', namespace);
  await rollUpAndReport();
  const unknown = randomUUID();
  const body = { cluster_id: clusterId, deployment_ids: [deploymentId, unknown] };

  expect(await service.tasks.call(clusterHealth.operations.repeat, { body })).toEqual({ absent: [unknown] });
  await rollUpAndReport();

  expect(told()).toEqual(['Healthy', 'Healthy']);
  expect(service.health[1]?.version).toBeGreaterThan(service.health[0]?.version ?? 0);
});

test('a namespace that is gone is degraded after a moment, in which the task of an uninstall ends', async () => {
  await save('ns', 'Namespace', namespace);
  await rollUpAndReport();
  await save('ns', 'Namespace', null);
  await rollUpAndReport();
  expect(told()).toEqual(['Healthy']);

  await service.db.query(sql.unsafe`
    update health_roll_ups set due_at = now() - interval '1 s', held = jsonb_set(held, '{goneAt}', '"2026-01-01T00:00:00.000Z"')
  `);
  await rollUp();
  expect((await service.db.any(sql.unsafe`select from health_roll_ups`)).length).toBe(0);

  await save('ns', 'Namespace', namespace);
  await rollUpAndReport();
  await save('ns', 'Namespace', null);
  await rollUp();
  await goneFor(6);
  await rollUpAndReport();
  expect(told()).toEqual(['Healthy', 'Healthy', 'Degraded NamespaceGone']);
});

test('a workload that crashes again and again does not look well in between', async () => {
  await save('ns', 'Namespace', namespace);
  for (let round = 0; round < 5; round += 1) {
    await save('pod', 'Pod', pod('CrashLoopBackOff'));
    await rollUpAndReport();
    await save('pod', 'Pod', readyPod);
    await rollUpAndReport();
  }

  expect(new Set(told())).toEqual(new Set(['Degraded CrashLoopBackOff']));
});

test('among 10,000 deployments a change costs one index lookup', async () => {
  for (const [kind, health] of [
    ['Namespace', 'Healthy'],
    ['Pod', null],
  ] as const) {
    await service.db.query(sql.unsafe`
      insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
        namespace, fingerprint, health, health_since)
      select gen_random_uuid(), ${clusterId}, ${deploymentId}, ${kind}, 'v1', 'web', '{}', '{}', ${kind}::text || n, 'ns' || n, 'f',
        ${health}, now()
      from generate_series(1, 10000) n
    `);
  }
  await service.db.query(sql.unsafe`
    insert into health_roll_ups (cluster_id, namespace, deployment_id) select ${clusterId}, 'ns' || n, ${deploymentId}
    from generate_series(1, 10000) n
  `);
  await service.db.query(sql.unsafe`analyze k8s_resources, health_roll_ups`);
  await save('pod', 'Pod', pod('CrashLoopBackOff'));
  const Read = z.object({ relname: z.string(), scanned: z.number(), fetched: z.number() });

  const read = await service.db.transaction(async (tx) => {
    await rollUpMarked({ db: tx })(signal);
    const rollUpRepository = createRollUpRepository(tx);
    await reportHealth({ bus: service.bus, rollUpRepository, log: silentLog })(signal);
    return await tx.any(sql.type(Read)`
      select relname::text, seq_tup_read::int as scanned, coalesce(idx_tup_fetch, 0)::int as fetched
      from pg_stat_xact_user_tables where relname in ('k8s_resources', 'health_roll_ups')
    `);
  });

  expect(told()).toEqual(['Degraded CrashLoopBackOff']);
  expect(read.map(({ relname }) => relname).toSorted()).toEqual(['health_roll_ups', 'k8s_resources']);
  for (const { relname, scanned, fetched } of read) {
    expect(scanned, relname).toBe(0);
    expect(fetched, relname).toBeLessThan(20);
  }
});

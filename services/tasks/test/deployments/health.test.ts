import { randomUUID } from 'node:crypto';
import { etagOf } from '@berth/bus/rpc/etag';
import { implement } from '@berth/bus/rpc/implement';
import { clusterHealth } from '@berth/contracts/resources/clusters/cluster-health';
import {
  deploymentHealth,
  type HealthCause,
  type HealthReport,
  type ReportedHealthState,
} from '@berth/contracts/resources/deployments/deployment-health';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

const { owner, outsider, siteAdmin } = sampleIdentities;
const { list, update, delete: remove } = deployments.operations;

let tasks: TasksInTest;
/** The deployments that cluster-sync was asked to report again. */
let repeated: string[];
let absent: string[];
beforeAll(async () => {
  tasks = await startTasksInTest();
  tasks.clusterSync.serve(
    implement(clusterHealth, {
      repeat: async ({ body }) => {
        repeated.push(...body.deployment_ids);
        return { absent: absent.filter((id) => body.deployment_ids.includes(id)) };
      },
    }),
  );
});
afterAll(() => tasks?.[Symbol.asyncDispose]());
beforeEach(() => {
  repeated = [];
  absent = [];
});

const since = '2026-11-23T20:00:00.000Z';
const crash: HealthCause = {
  kind: 'Pod',
  name: 'web-1',
  cause: 'CrashLoopBackOff',
  message: 'container web is waiting: CrashLoopBackOff',
  since,
};
const reasonOf = ({ kind, name, message }: HealthCause) => `${kind} ${name}: ${message}`;

const health = (state: ReportedHealthState, ...causes: HealthCause[]): HealthReport['health'] => ({
  state,
  since,
  reason: causes[0] ? reasonOf(causes[0]) : null,
  causes,
});

const now = () => Date.now() * 1_000;
const reportOf = ({ id, cluster_id, namespace }: Deployment, fields: Partial<HealthReport> = {}): HealthReport => ({
  deployment_id: id,
  cluster_id,
  namespace,
  version: now(),
  health: health('Healthy'),
  ...fields,
});
const report = async (...reports: HealthReport[]) =>
  (await tasks.clusterSync.call(deploymentHealth.operations.report, { body: { reports } })).verdicts;

const versionOf = (id: string) =>
  tasks.database.db.oneFirst(sql.type(z.object({ version: z.number() }))`
    select version::float as version from outbox where resource = 'deployments' and id = ${id}
  `);

const publishedOf = (id: string) =>
  tasks.database.db.oneFirst(sql.type(z.object({ row: z.unknown() }))`
    select row from outbox where resource = 'deployments' and id = ${id}
  `);

describe('a report', () => {
  test('is shown, named in the reason as that of the workload, and is not part of the ETag', async () => {
    const before = await tasks.installed();
    expect(before).toMatchObject({ health: null, reason: null });

    expect(await report(reportOf(before, { health: health('Degraded', crash) }))).toEqual(['recorded']);

    const after = await tasks.deployment(before.id);
    expect(after).toMatchObject({
      status: 'Running',
      health: { state: 'Degraded', since, reason: reasonOf(crash), causes: [crash] },
      reason: 'Workload: Pod web-1: container web is waiting: CrashLoopBackOff',
    });
    expect(etagOf(deployments, after)).toBe(etagOf(deployments, before));
    await expect(tasks.call(outsider, deployments.operations.get, { id: before.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is published if the state or the first cause changes, and not for a message', async () => {
    const deployment = await tasks.installed();
    const versions = [await versionOf(deployment.id)];
    const after = async (...causes: HealthCause[]) => {
      await report(reportOf(deployment, { health: health('Degraded', ...causes) }));
      versions.push(await versionOf(deployment.id));
    };

    await after(crash);
    await after({ ...crash, message: 'another one' });
    await after(crash, { ...crash, name: 'web-2' });
    await after({ ...crash, cause: 'OOMKilled' });

    const [first, crashed, reworded, another, killed] = versions;
    expect(crashed).toBeGreaterThan(first ?? 0);
    expect([reworded, another]).toEqual([crashed, crashed]);
    expect(killed).toBeGreaterThan(crashed ?? 0);
    expect((await tasks.deployment(deployment.id)).health?.causes).toEqual([{ ...crash, cause: 'OOMKilled' }]);
  });

  test('that is repeated, or arrives after a later one, changes nothing', async () => {
    const deployment = await tasks.installed();
    const version = now();
    const last = reportOf(deployment, { version, health: health('Degraded', crash) });
    const older = reportOf(deployment, { version: version - 1 });

    expect(await report(last, last, older)).toEqual(['recorded', 'recorded', 'outdated']);
    expect(await report(older, last)).toEqual(['outdated', 'recorded']);

    expect(await tasks.deployment(deployment.id)).toMatchObject({ health: { state: 'Degraded' } });
  });

  test('of another place, of an earlier installation, or of a deleted deployment does not count', async () => {
    const deployment = await tasks.installed();
    const degraded = { health: health('Degraded', crash) };
    const early = reportOf(deployment, degraded);

    const elsewhere = [
      reportOf(deployment, { ...degraded, namespace: 'web-other' }),
      reportOf(deployment, { ...degraded, cluster_id: tasks.otherClusterId }),
      reportOf(deployment, { ...degraded, deployment_id: randomUUID() }),
    ];
    expect(await report(...elsewhere)).toEqual(['elsewhere', 'elsewhere', 'elsewhere']);
    await tasks.call(owner, update, { id: deployment.id, body: { enabled: false } });
    await tasks.runAll();
    expect(await report(reportOf(deployment, degraded))).toEqual(['elsewhere']);
    await tasks.call(owner, update, { id: deployment.id, body: { enabled: true } });
    await tasks.runAll();
    expect(await report(early)).toEqual(['outdated']);
    expect(await tasks.deployment(deployment.id)).toMatchObject({ status: 'Running', health: null, reason: null });

    await tasks.call(owner, remove, { id: deployment.id });
    await tasks.runAll();
    expect(await report(reportOf(deployment, degraded))).toEqual(['elsewhere']);
  });

  test('disappears with the release: nothing is shown after an uninstall', async () => {
    const deployment = await tasks.installed();
    await report(reportOf(deployment, { health: health('Degraded', crash) }));

    await tasks.call(owner, update, { id: deployment.id, body: { enabled: false } });
    await tasks.runAll();

    expect(await tasks.deployment(deployment.id)).toMatchObject({ status: 'Uninstalled', health: null, reason: null });
  });

  test('stands beside the reason of a task', async () => {
    const deployment = await tasks.installed();
    await report(reportOf(deployment, { health: health('Degraded', crash) }));
    await tasks.call(owner, update, { id: deployment.id, body: { config: { replicas: 3 } } });
    const task = await tasks.claimed();
    expect(await tasks.deployment(deployment.id)).toMatchObject({
      reason: `Task: Upgrade is under way; Workload: ${reasonOf(crash)}`,
    });

    await tasks.finish(task, 'Failed', 'no luck');

    expect(await tasks.deployment(deployment.id)).toMatchObject({
      status: 'Error',
      reason: `Upgrade failed: no luck; Workload: ${reasonOf(crash)}`,
      health: { state: 'Degraded' },
    });
  });

  test('survives a restart of the service, and is a filter and a sort', async () => {
    const well = await tasks.installed();
    const ill = await tasks.installed();
    await report(reportOf(well), reportOf(ill, { health: health('Degraded', crash) }));
    await tasks.process.kill('SIGKILL');
    await tasks.replica();

    const idsOf = async (query: { health?: 'Degraded' | 'Healthy'; sort?: 'health' }) =>
      (await tasks.call(owner, list, { query: { per_page: 100, ...query } })).items.map(({ id }) => id);

    expect(await idsOf({ health: 'Degraded' })).toContain(ill.id);
    expect(await idsOf({ health: 'Degraded' })).not.toContain(well.id);
    expect(await idsOf({ health: 'Healthy' })).toContain(well.id);
    const sorted = await idsOf({ sort: 'health' });
    expect(sorted.indexOf(ill.id)).toBeLessThan(sorted.indexOf(well.id));
  });
});

describe('while a cluster', () => {
  const clusterFields = { env_id: envId, name: 'prod', ingress_domain: null };
  const publishCluster = (fields: object) =>
    tasks.publish.cluster({ id: tasks.clusterId, ...clusterFields, ...fields });
  const answersAgain = () => publishCluster({ is_ok: true, not_ok_reason: null, ignore: false });
  const showing = (id: string, state: string) =>
    until(async () => {
      const deployment = await tasks.deployment(id);
      return deployment.health?.state === state && deployment;
    });

  test.for<[string, object, string]>([
    [
      'does not answer',
      { is_ok: false, not_ok_reason: 'connection refused' },
      'the cluster prod does not answer: connection refused',
    ],
    ['is ignored', { ignore: true }, 'the cluster prod is ignored'],
  ])('%s, the health is unknown, reports do not count, and it comes back by a new one', async ([, fields, reason]) => {
    const deployment = await tasks.installed();
    await report(reportOf(deployment));
    await publishCluster(fields);

    expect(await showing(deployment.id, 'Unknown')).toMatchObject({
      health: { reason, causes: [] },
      reason: `Workload: ${reason}`,
    });
    expect(await report(reportOf(deployment))).toEqual(['silent']);

    await answersAgain();
    await until(async () => repeated.includes(deployment.id));
    expect((await tasks.deployment(deployment.id)).health?.state).toBe('Unknown');
    expect(await report(reportOf(deployment))).toEqual(['recorded']);
    expect(await tasks.deployment(deployment.id)).toMatchObject({ health: { state: 'Healthy' }, reason: null });
  });

  test('does not answer for another reason, the reason follows and nobody is told; without objects there it is null again', async () => {
    const deployment = await tasks.installed();
    await publishCluster({ is_ok: false, not_ok_reason: 'one' });
    await showing(deployment.id, 'Unknown');
    const version = await versionOf(deployment.id);

    await publishCluster({ is_ok: false, not_ok_reason: 'two' });
    await until(async () => (await tasks.deployment(deployment.id)).health?.reason?.endsWith('two'));
    expect(await versionOf(deployment.id)).toBe(version);

    absent = [deployment.id];
    await answersAgain();
    await until(async () => (await tasks.deployment(deployment.id)).health === null);
  });

  test('does not answer that a deployment is leaving for another env, neither deployment nor tasks name it there', async () => {
    const { id } = await tasks.installed();
    await tasks.call(siteAdmin, update, { id, body: { cluster_id: tasks.otherClusterId } });
    await publishCluster({ is_ok: false, not_ok_reason: 'connection refused' });

    const shown = await showing(id, 'Unknown');
    const words = 'the cluster of another env where it is installed does not answer, or is ignored';
    expect(shown).toMatchObject({
      env_id: otherEnvId,
      health: { state: 'Unknown', reason: words, causes: [] },
      reason: `Task: Recreate is queued; Workload: ${words}`,
    });
    const [, recreate] = await tasks.tasksOf(id);
    expect(recreate?.reason).toMatch(/^the cluster that it leaves is not reachable since /);
    const ofTask = await tasks.call(siteAdmin, deploymentTasks.operations.why, { id: recreate?.id ?? '' });
    const why = await tasks.call(siteAdmin, deployments.operations.why, { id });
    const listed = await tasks.call(siteAdmin, list, { query: { env_id: otherEnvId } });
    expect(why.facts.map(({ kind }) => kind)).toEqual(['cluster_unreachable', 'workload_unknown']);
    const all = JSON.stringify([shown, listed, await tasks.tasksOf(id), ofTask, why, await publishedOf(id)]);
    expect(all).not.toMatch(/prod|connection refused/);
    expect(JSON.stringify([why, ofTask])).not.toContain(tasks.clusterId);

    await answersAgain();
    await tasks.runAll();
  });

  test('is ignored that a task of the env waits for, only the deployment that left that env does not name it', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { enabled: false } });
    await publishCluster({ ignore: true });
    await until(async () => (await tasks.tasksOf(id))[0]?.reason === 'cluster prod is ignored');
    const why = await tasks.call(siteAdmin, deployments.operations.why, { id });
    expect(why.facts[0]).toMatchObject({ message: 'cluster prod is ignored', object: { name: 'prod' } });

    await tasks.call(siteAdmin, update, { id, body: { cluster_id: tasks.otherClusterId } });

    const moved = await tasks.call(siteAdmin, deployments.operations.why, { id });
    expect(moved.facts[0]).toMatchObject({ message: 'its cluster is ignored', object: null });
    await answersAgain();
    await tasks.runAll();
  });
});

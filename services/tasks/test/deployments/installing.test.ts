import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveDigest } from '../support/neighbours.ts';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, kindId, startTasksInTest, type TasksInTest, usualLeaseMs } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, owner, maintainer, envUser, bot } = sampleIdentities;
const { update, delete: remove, get } = deployments.operations;

describe('installing', () => {
  test('a claim contains all that a runner needs, and success leads to Running', async () => {
    const config = { replicas: 1, tier: 'small' };
    const created = await tasks.create({ name: 'first', config, values_override: { extra: { a: 1 } } });

    const claimed = await tasks.claimed();

    const [install] = await tasks.tasksOf(created.id);
    expect(claimed).toEqual({
      task_id: install?.id,
      fence: expect.any(Number),
      attempt: 1,
      lease_ms: usualLeaseMs,
      action: 'deploy',
      is_first: true,
      delete_namespace: false,
      fields: { keep: [] },
      deployment_id: created.id,
      deployment_name: 'first',
      kind: 'Web',
      cluster_id: tasks.clusterId,
      namespace: 'web-first',
      chart: { helm_chart_id: tasks.chartId, digest: archiveDigest, version: '1.0.0' },
      values: {
        replicaCount: 1,
        extra: { a: 1 },
        platz: {
          ...Object(claimed.values['berth']),
          cluster: {
            id: tasks.clusterId,
            env_id: envId,
            name: 'prod',
            ingress_domain: null,
            ingress_class: null,
            ingress_tls_secret_name: null,
          },
        },
        berth: {
          env_id: envId,
          env_name: 'staging',
          cluster_id: tasks.clusterId,
          cluster_name: 'prod',
          deployment_id: created.id,
          deployment_name: 'first',
          deployment_kind: 'Web',
          revision_id: install?.id,
          own_url: 'https://berth.example.com',
        },
      },
      secrets: { 'web-tier': { tier: 'small' } },
      confidential: [],
      hosts: { own: null, domain: null, berth: ['berth.example.com'] },
      call: null,
      restart: null,
      wait: { enabled: true, timeout_secs: 300 },
      traceparent: null,
      request_id: expect.any(String),
    });
    expect(install).toMatchObject({ status: 'Started', attempts: 0, started_at: expect.any(String) });
    expect(await tasks.deployment(created.id)).toMatchObject({ status: 'Installing', revision_id: null });

    await tasks.finish(claimed, 'Retry');
    const again = await tasks.claimed();

    expect(again).toMatchObject({ task_id: claimed.task_id, is_first: false });

    await tasks.finish(again);

    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Done', finished_at: expect.any(String) });
    expect(await tasks.deployment(created.id)).toMatchObject({
      status: 'Running',
      reason: null,
      revision_id: claimed.task_id,
    });
  });

  test('the archive of a chart is requested once', async () => {
    const before = tasks.archives.requests;
    const chart = await tasks.publish.chart(sampleChart());
    await tasks.create({ helm_chart_id: chart.id });
    await tasks.create({ helm_chart_id: chart.id });

    await tasks.runAll();

    expect(tasks.archives.requests).toBe(before + 1);
  });

  test('a chart whose archive cannot be fetched now is retried later', async () => {
    const chart = await tasks.publish.chart(sampleChart());
    const { id } = await tasks.create({ helm_chart_id: chart.id });
    tasks.archives.digest = null;

    expect(await tasks.claim()).toBeNull();
    tasks.archives.digest = archiveDigest;

    const [install] = await tasks.tasksOf(id);
    expect(install).toMatchObject({
      status: 'Pending',
      attempts: 0,
      reason: expect.stringMatching(/^waiting until .* to try again: The registry does not answer$/),
    });
  });

  test('a failure leads to Error with the reason', async () => {
    const { id } = await tasks.create();

    await tasks.finish(await tasks.claimed(), 'Failed', 'template: web/deployment.yaml:3: nil pointer');

    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: 'Install failed: template: web/deployment.yaml:3: nil pointer',
    });
    expect((await tasks.tasksOf(id))[0]).toMatchObject({
      status: 'Failed',
      reason: 'template: web/deployment.yaml:3: nil pointer',
    });
  });

  test('a task whose values are too large for the answer to a claim fails with that reason, and the next task starts', async () => {
    const input = { id: 'a', type: 'text', label: 'A' };
    const values = ['one', 'two', 'three', 'four', 'five', 'six'].map((key) => ({
      path: [key],
      value: { FieldValue: { input: 'a' } },
    }));
    const large = await tasks.publish.chart(sampleChart({ values_ui: { inputs: [input], outputs: { values } } }));
    const { id } = await tasks.create({ helm_chart_id: large.id, config: { a: 'x'.repeat(500_000) } });
    const next = await tasks.create();

    const claimed = await tasks.claimed();

    expect(await tasks.tasksOf(id)).toMatchObject([
      {
        status: 'Failed',
        reason: 'The values and Secrets of the deployment would be larger than 2621440 bytes',
      },
    ]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error' });
    expect(claimed.deployment_id).toBe(next.id);
    await tasks.finish(claimed);
  });

  test('values contain the placement of the env and the outputs of referenced deployments', async () => {
    const peer = await tasks.installed({ name: 'peer' });
    const placement = { node_selector: { pool: 'apps' }, tolerations: [{ key: 'apps' }] };
    const env = await tasks.publish.env({ id: crypto.randomUUID(), name: 'placed', ...placement });
    const cluster = await tasks.publish.cluster({ env_id: env.id, name: 'placed' });
    const made = { config: { replicas: 2, peer: peer.id } };

    await expect(tasks.create({ ...made, cluster_id: cluster.id }, siteAdmin)).rejects.toEqual(
      refusal('unprocessable', 'no such deployment in the env', 'body.config.peer'),
    );
    await tasks.create(made);
    expect((await tasks.claimed()).values).toMatchObject({ replicaCount: 2, peer: { name: 'peer' } });

    await tasks.create({ cluster_id: cluster.id }, siteAdmin);
    expect((await tasks.claimed()).values).toMatchObject({
      nodeSelector: placement.node_selector,
      tolerations: placement.tolerations,
    });
  });
});

describe('deleting', () => {
  test('uninstalls first; the row is deleted with the namespace, and site admins and bots keep the history', async () => {
    const { id, namespace } = await tasks.installed();

    await tasks.call(owner, remove, { id });

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Deleting' });
    await expect(tasks.call(owner, update, { id, body: { config: { replicas: 2 } } })).rejects.toEqual(
      refusal('conflict', 'being deleted'),
    );
    await expect(tasks.call(owner, remove, { id })).resolves.toBeNull();
    const uninstall = await tasks.claimed();
    expect(uninstall).toMatchObject({ action: 'uninstall', delete_namespace: true, namespace });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Deleting' });
    await tasks.finish(uninstall);
    await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
    expect(await tasks.task(uninstall.task_id)).toMatchObject({ status: 'Done', deployment_id: id });
    expect(await tasks.tasksOf(id)).toHaveLength(2);
    await expect(tasks.call(owner, get, { id })).rejects.toEqual(refusal('not_found'));
  });

  test('is done at once if nothing was ever installed', async () => {
    const { id } = await tasks.create();

    await tasks.call(owner, remove, { id });

    await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
    expect(await tasks.tasksOf(id)).toMatchObject([
      { status: 'Canceled', reason: 'The deployment is being deleted', canceled_by_user_id: owner.id },
    ]);
  });

  test('leaves the deployment in Error if it fails, and can be repeated', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, remove, { id });

    await tasks.finish(await tasks.claimed(), 'Failed', 'a hook failed');

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: 'Uninstall failed: a hook failed' });
    await tasks.call(owner, remove, { id });
    await tasks.runAll();
    await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
  });

  test('is for owners', async () => {
    const { id } = await tasks.create();

    for (const identity of [maintainer, bot, envUser]) {
      await expect(tasks.call(identity, remove, { id })).rejects.toEqual(refusal('forbidden', 'owner'));
    }
  });
});

describe('a claim', () => {
  const { get } = taskClaims.operations;
  const append = ({ task_id, fence }: Pick<ClaimedTask, 'task_id' | 'fence'>) =>
    tasks.runner.call(runnerTasks.operations.append_log, { body: { task_id, fence, first: 0, lines: [] } });

  test('determines for other services which cluster and chart its runner may use, while it lasts', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    const { deployment_id, cluster_id, namespace, chart, task_id, fence } = claimed;
    const check = (body: { task_id: string; fence: number }) => tasks.clusterSync.call(get, { body });

    expect(await check({ task_id, fence })).toEqual({
      deployment_id,
      cluster_id,
      namespace,
      helm_chart_id: chart?.helm_chart_id,
      is_dry_run: false,
      adopts: false,
      env_id: envId,
      kind_id: kindId,
      task: {
        action: 'deploy',
        keeps_place: false,
        is_first: true,
        deployment_name: claimed.deployment_name,
        kind: claimed.kind,
        hostname: null,
      },
    });
    await tasks.runner.call(runnerTasks.operations.heartbeat, { body: { task_id, fence, helm_begins: true } });
    expect(await check({ task_id, fence })).toMatchObject({ task: { is_first: false } });
    await tasks.finish(claimed, 'Done');
    await expect(check({ task_id, fence })).rejects.toEqual(refusal('conflict', 'another runner'));
  });

  test('has a fence that cannot be guessed from the previous one', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    const guesses = Array.from({ length: 5 }, (_, n) => ({ ...claimed, fence: n }));

    expect(claimed.fence).toBeGreaterThan(1_000);
    for (const guess of guesses) {
      await expect(append(guess)).rejects.toEqual(refusal('conflict', 'another runner'));
      await expect(tasks.finish(guess, 'Done')).rejects.toEqual(refusal('conflict', 'another runner'));
    }
    await tasks.finish(claimed, 'Done');
  });
});

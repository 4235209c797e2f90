import { randomUUID } from 'node:crypto';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { type StatusPoll, type StatusPollResult, statusPolls } from '@berth/contracts/resources/tasks/status-polls';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readingStore } from '../../src/store/store.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

const { owner } = sampleIdentities;
const { claim, report } = statusPolls.operations;
const status = { endpoint: 'standard_ingress', path: '/status', refresh_interval_secs: 1 };
const chart = sampleChart({ features: { ingress: { enabled: true }, status } });
const idle = { content: { status: { name: 'Idle', color: 'success' as const }, notices: [] } };

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
  await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: 'apps.example.com' });
  await tasks.publish.chart(chart);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${chart.id}`));
});
afterAll(() => tasks?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await tasks.database.db.query(statement`delete from status_polls`);
  await tasks.database.db.query(statement`update deployments set enabled = false where enabled`);
});

const row = sql.type(z.object({ due_in: z.number(), is_slow: z.boolean(), interval_secs: z.number() }));
const pollOf = (id: string) =>
  tasks.database.db.maybeOne(row`
    select extract(epoch from due_at - clock_timestamp())::float as due_in, is_slow, interval_secs
    from status_polls where deployment_id = ${id}
  `);
/** How long after `time` a poll is due, by the database's clock. */
const dueAfter = (id: string, time: string) =>
  tasks.database.db.oneFirst(sql.type(z.object({ seconds: z.number() }))`
    select extract(epoch from due_at - ${time}::timestamptz)::float as seconds from status_polls where deployment_id = ${id}
  `);
const databaseTime = () =>
  tasks.database.db.oneFirst(sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`);
const versionOf = async (id: string) =>
  (
    await tasks.database.db.one(sql.type(z.object({ version: z.number() }))`
      select version::float as version from outbox where resource = 'deployments' and id = ${id}
    `)
  ).version;
const makeDue = (id: string) =>
  tasks.database.db.query(statement`update status_polls set due_at = now() where deployment_id = ${id}`);

/** A deployment with status polls. */
async function polled() {
  const deployment = await tasks.installed({ helm_chart_id: chart.id });
  await until(() => pollOf(deployment.id));
  await makeDue(deployment.id);
  return deployment;
}
const take = async (slots: { quick: number; slow: number } = { quick: 10, slow: 10 }) =>
  (await tasks.runner.call(claim, { body: slots })).polls;
const first = async (): Promise<StatusPoll> => {
  const [poll, ...others] = await take();
  if (!poll || others.length > 0) throw new Error('not one poll is due');
  return poll;
};
const claimedPoll = ({ deployment_id, fence }: StatusPoll) => ({ deployment_id, fence });
const answer = ({ deployment_id, fence }: StatusPoll, result: StatusPollResult['status'], took_ms = 10) =>
  tasks.runner.call(report, { body: { results: [{ deployment_id, fence, took_ms, status: result }] } });

describe('the status of a deployment', () => {
  test('is polled at its ingress with a token for it, and shown', async () => {
    const { id, namespace } = await polled();

    const poll = await first();
    await answer(poll, idle);

    expect(poll).toMatchObject({
      deployment_id: id,
      call: { host: `${namespace}.apps.example.com`, path: '/status', token: `token-for-${id}` },
    });
    expect(tasks.callTokens.requests).toContainEqual({ deployment_id: id, method: 'GET', path: '/status' });
    expect((await tasks.deployment(id)).reported_status).toEqual({
      timestamp: expect.any(String),
      get_successful: true,
      error: null,
      ...idle,
    });
  });

  test('is polled at most every 15 s, even with a shorter interval', async () => {
    const { id } = await polled();
    const poll = await first();
    const before = await databaseTime();

    await answer(poll, idle);

    expect(await dueAfter(id, before)).toBeGreaterThan(12);
    expect(await pollOf(id)).toMatchObject({ is_slow: false, interval_secs: 15 });
    expect((await pollOf(id))?.due_in).toBeLessThan(18);
  });

  test("is an error if only older rules accepted the chart's features, and others are still polled", async () => {
    const old = await tasks.publish.chart({ ...chart, id: randomUUID(), image_tag: '0.9.0' });
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${old.id}`));
    const broken = await tasks.installed({ helm_chart_id: old.id });
    await until(() => pollOf(broken.id));
    const features = JSON.stringify({ ...old.features, status: { ...status, refresh_interval_secs: 'often' } });
    await tasks.database.db.query(
      statement`update helm_chart_projection set features = ${features}::jsonb where id = ${old.id}`,
    );

    const other = await polled();
    await makeDue(broken.id);
    const poll = await first();

    expect(poll.deployment_id).toBe(other.id);
    expect((await tasks.deployment(broken.id)).reported_status).toMatchObject({
      get_successful: false,
      error: 'The features of its chart are not valid',
    });
  });

  test('is written only when it changes', async () => {
    const { id } = await polled();
    await answer(await first(), idle);
    const before = { version: await versionOf(id), ...(await tasks.deployment(id)).reported_status };

    await makeDue(id);
    await answer(await first(), idle);
    expect({ version: await versionOf(id), ...(await tasks.deployment(id)).reported_status }).toEqual(before);

    await makeDue(id);
    await answer(await first(), { error: 'It answered 500' });
    expect((await tasks.deployment(id)).reported_status).toMatchObject({
      get_successful: false,
      content: null,
      error: 'It answered 500',
    });
  });

  test('is polled by one runner at a time, and by another one after that runner went silent', async () => {
    const { id } = await polled();
    const claims = await Promise.all([take(), take(), take()]);
    const [lost, ...others] = claims.flat();
    expect(lost).toMatchObject({ deployment_id: id });
    expect(others).toEqual([]);

    await makeDue(id);
    const again = await first();
    if (lost) await answer(lost, { error: 'too late' });
    expect((await tasks.deployment(id)).reported_status).toBeNull();
    await answer(again, idle);

    expect((await tasks.deployment(id)).reported_status).toMatchObject(idle);
  });

  test('becomes due at once when a stopping runner gives its poll back, unless another runner has taken it', async () => {
    const { id } = await polled();
    const given = await first();
    const giveBack = () => tasks.runner.call(report, { body: { results: [], not_made: [claimedPoll(given)] } });

    await giveBack();
    await giveBack();
    const taken = await first();
    await giveBack();

    expect(taken.deployment_id).toBe(id);
    expect(await take()).toEqual([]);
    await answer(taken, idle);
    expect((await tasks.deployment(id)).reported_status).toMatchObject(idle);
  });

  test('has a separate lane and is polled less often if it answers slowly', async () => {
    const { id } = await polled();
    const poll = await first();
    const before = await databaseTime();
    await answer(poll, idle, 9_000);

    expect((await pollOf(id))?.is_slow).toBe(true);
    expect(await dueAfter(id, before)).toBeGreaterThan(80);
    await makeDue(id);
    expect(await take({ quick: 10, slow: 0 })).toEqual([]);
    expect(await take({ quick: 0, slow: 10 })).toMatchObject([{ deployment_id: id }]);
  });

  test('is cleared at once when the deployment is disabled, and a late answer does not restore it', async () => {
    const { id } = await polled();
    await answer(await first(), idle);
    await makeDue(id);
    const late = await first();

    await tasks.call(owner, deployments.operations.update, { id, body: { enabled: false } });
    expect((await tasks.deployment(id)).reported_status).toBeNull();
    await answer(late, idle);

    expect((await tasks.deployment(id)).reported_status).toBeNull();
    await tasks.runAll();
    await until(async () => (await pollOf(id)) === null);
  });

  test('is an error if the cluster has no ingress domain', async () => {
    const { id } = await polled();
    await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: null });
    await until(() =>
      tasks.database.db.exists(
        statement`select from k8s_cluster_projection where id = ${tasks.clusterId} and ingress_domain is null`,
      ),
    );
    try {
      expect(await take()).toEqual([]);
      expect((await tasks.deployment(id)).reported_status).toMatchObject({
        get_successful: false,
        error: expect.stringContaining('ingress_domain'),
      });
    } finally {
      await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: 'apps.example.com' });
      await until(() =>
        tasks.database.db.exists(
          statement`select from k8s_cluster_projection where id = ${tasks.clusterId} and ingress_domain is not null`,
        ),
      );
    }
  });

  test('follows the current features of its chart, and is cleared if the chart no longer declares one', async () => {
    const own = await tasks.publish.chart({ ...chart, id: randomUUID(), image_tag: '0.8.0' });
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${own.id}`));
    const { id } = await tasks.installed({ helm_chart_id: own.id });
    await until(() => pollOf(id));
    await makeDue(id);
    await answer(await first(), idle);
    const features = JSON.stringify({ ...own.features, status: null });
    await tasks.database.db.query(
      statement`update helm_chart_projection set features = ${features}::jsonb where id = ${own.id}`,
    );

    await readingStore(tasks.database.db).statusPolls.refollow();

    await until(async () => (await tasks.deployment(id)).reported_status === null);
    expect(await pollOf(id)).toBeNull();
  });

  test('is polled after its due task was claimed, because a claim skips locked deployments', async () => {
    const { id } = await tasks.create();
    const followed = () =>
      tasks.database.db.exists(statement`select from deployments where id = ${id} and polls_followed`);

    await readingStore(tasks.database.db).statusPolls.follow(200);
    expect(await followed()).toBe(false);

    await tasks.runAll();
    await until(followed);
  });

  test('starts or stops being polled only when its deployment changes', async () => {
    const { id } = await polled();
    const followed = () =>
      tasks.database.db.exists(statement`select from deployments where id = ${id} and polls_followed`);
    await until(followed);
    await tasks.database.db.query(statement`delete from status_polls where deployment_id = ${id}`);

    await tasks.call(owner, deployments.operations.update, { id, body: { description_md: 'changed' } });

    expect(await until(() => pollOf(id))).toMatchObject({ interval_secs: 15 });
    await until(followed);
    await makeDue(id);
    await answer(await first(), idle);
    expect(await followed()).toBe(true);
  });

  test('is not polled for a chart without the feature', async () => {
    const { id } = await tasks.installed();
    const other = await polled();

    expect(await pollOf(id)).toBeNull();
    expect(await pollOf(other.id)).toMatchObject({ interval_secs: 15 });
  });

  test('waits for its token while auth does not answer', async () => {
    const { id } = await polled();
    const before = await databaseTime();
    tasks.callTokens.away = true;
    try {
      expect(await take()).toEqual([]);
      expect(await dueAfter(id, before)).toBeGreaterThan(20);
    } finally {
      tasks.callTokens.away = false;
    }
  });
});

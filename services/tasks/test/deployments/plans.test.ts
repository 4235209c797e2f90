import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { etagOf } from '@berth/bus/rpc/etag';
import { type DeploymentPlan, deploymentPlans } from '@berth/contracts/resources/tasks/deployment-plans';
import {
  type DeploymentChanges,
  deployments,
  type NewDeployment,
} from '@berth/contracts/resources/deployments/deployments';
import { type DryRun, type DryRunResult, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { audited } from '@berth/testing/db/audited';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { most } from '../../src/plans/make-dry-runs.ts';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import type { TasksProcess } from '../support/tasks-process.ts';
import { envId, kindId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
let replica: TasksProcess;
beforeAll(async () => {
  tasks = await startTasksInTest();
  // Another replica: a runner may get from one what the other accepted.
  replica = await tasks.replica();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { owner, maintainer, envUser, envAdmin, siteAdmin, outsider } = sampleIdentities;
const { of_update, of_creation } = deploymentPlans.operations;
const { claim, report } = dryRuns.operations;

const patiently = { deadlineMs: 12_000 };
const plan = (
  id: string,
  body: DeploymentChanges,
  as: Identity = owner,
  options: { deadlineMs?: number } = patiently,
) => tasks.call(as, of_update, { id, body }, options);

const nothingCut = { objects: 0, fields: 0, values: 0, hooks: 0 };
const result: DryRunResult = {
  objects: [
    {
      action: 'change',
      api_version: 'v1',
      kind: 'ConfigMap',
      namespace: 'web',
      name: 'web',
      reason: null,
      fields: [{ path: '/data/a', before: '1', after: '2', hidden: false }],
    },
  ],
  hooks: [],
  cluster_roles: [{ cluster_role: 'widgets-operator', scope: 'Cluster' }],
  contested: [
    {
      api_version: 'apps/v1',
      kind: 'Deployment',
      namespace: 'web',
      name: 'web',
      path: '/spec/replicas',
      manager: 'kubectl (scale)',
      becomes: 'taken_back',
      reason: null,
      live: 5,
      chart: 2,
      hidden: false,
    },
  ],
  untried: [{ reason: 'the cluster took too long', objects: 1, examples: ['ConfigMap web'] }],
  unchanged: 3,
  cut: nothingCut,
};

const claimDryRun = () => until(async () => (await tasks.runner.call(claim, {}, patiently)).dry_run);
const finish = ({ task_id, fence }: DryRun, outcome: z.input<typeof report.body>['outcome']) =>
  tasks.runner.call(report, { body: { task_id, fence, outcome } }, patiently);

/** Makes a plan while a runner answers its dry runs; resolves to both. */
async function planned(
  making: () => Promise<DeploymentPlan>,
  count = 1,
): Promise<{ made: DeploymentPlan; runs: DryRun[] }> {
  const answer = making();
  answer.catch(() => undefined);
  const runs: DryRun[] = [];
  for (let index = 0; index < count; index += 1) {
    const run = await claimDryRun();
    runs.push(run);
    await finish(run, { result });
  }
  return { made: await answer, runs };
}

const Tables = z.object({ table: z.string(), rows: z.string() });
/**
 * All rows of all tables of the service as text. Left out: events of plans, the progress of loops, and denied attempts of earlier
 * tests.
 */
async function allRows(): Promise<Record<string, string>> {
  const { db } = tasks.database;
  const names = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
      and table_name not in ('leases', 'outbox_stream', 'deployment_task_counts', 'env_task_counts', 'deployment_counts')
    order by 1
  `);
  const rows = await Promise.all(
    names.map((name) =>
      db.one(sql.type(Tables)`
        select ${name} as table, coalesce(string_agg((to_jsonb(t) - 'published_version' - 'polls_followed')::text, chr(10) order by t::text), '') as rows
        from ${sql.identifier([name])} t
        where to_jsonb(t) ->> 'result' is distinct from 'denied' and to_jsonb(t) ->> 'action' is distinct from 'plan'
      `),
    ),
  );
  return Object.fromEntries(rows.map(({ table, rows: text }) => [table, text]));
}

/** The sum of the metrics of both replicas. */
async function planMetrics() {
  const pages = await Promise.all([tasks.process.metrics(), replica.metrics()]);
  const sum = (series: string) =>
    pages.reduce((total, page) => total + Number(page.split(`\n${series} `)[1]?.split('\n')[0] ?? 0), 0);
  return {
    now: sum('berth_tasks_plans_waiting'),
    ended: (outcome: string) => sum(`berth_tasks_plan_seconds_count{outcome="${outcome}"}`),
  };
}

const noDryRuns = async () =>
  (await tasks.database.db.oneFirst(
    sql.type(z.object({ n: z.number().int() }))`select count(*) as n from dry_runs`,
  )) === 0;
beforeEach(() => until(noDryRuns));

describe('a plan of an update', () => {
  test('names the tasks, the dependents and the findings of a runner, and changes no row', async () => {
    const chart = await tasks.publish.chart(
      sampleChart({ features: { reinstall_dependencies: true, fields: { keep: ['/spec/a'] } } }),
    );
    const values_override = { berth: { fields: { keep: ['Deployment/web:/spec/b'] } } };
    const { id, namespace } = await until(() =>
      tasks.create({ helm_chart_id: chart.id, values_override }).catch(() => null),
    );
    await tasks.runAll();
    const dependent = await tasks.installed({ config: { replicas: 1, peer: id } });
    const disabled = await tasks.installed({ config: { replicas: 1, peer: id } });
    await tasks.call(owner, deployments.operations.update, { id: disabled.id, body: { enabled: false } });
    await tasks.runAll();
    const before = await allRows();

    const { made, runs } = await planned(() => plan(id, { config: { replicas: 2 } }, maintainer));

    expect(made).toEqual({
      etag: etagOf(deployments, await tasks.deployment(id)),
      tasks: [{ operation: 'Upgrade', cluster_id: tasks.clusterId }],
      supersedes: null,
      reinstalls: [{ deployment_id: dependent.id, namespace: dependent.namespace }],
      objects: result.objects.map((object) => ({ ...object, cluster_id: tasks.clusterId })),
      hooks: [],
      cluster_roles: [{ cluster_id: tasks.clusterId, cluster_role: 'widgets-operator', scope: 'Cluster' }],
      contested: result.contested?.map((field) => ({ ...field, cluster_id: tasks.clusterId })),
      untried: result.untried?.map((objects) => ({ ...objects, cluster_id: tasks.clusterId })),
      unchanged: 3,
      cut: nothingCut,
    });
    expect(runs).toMatchObject([
      {
        action: 'deploy',
        namespace,
        deployment_id: id,
        values: { replicaCount: 2 },
        fields: { keep: ['/spec/a', 'Deployment/web:/spec/b'] },
      },
    ]);
    expect(await tasks.claim()).toBeNull();
    expect(await allRows()).toEqual(before);
  });

  test('leaves an audit event with its caller and place, and so does a plan of a creation', async () => {
    const { id, namespace } = await tasks.installed();
    const cluster_id = tasks.clusterId;
    await planned(() => plan(id, { config: { replicas: 5 } }, maintainer));
    await plan(id, { description_md: 'new' });
    await expect(plan(id, { config: { replicas: 6 } }, envUser)).rejects.toEqual(refusal('forbidden'));

    const event = { resource: 'deployments', action: 'plan', env_id: envId, details: { cluster_id, namespace } };
    expect(await audited(tasks.database.db, id)).toMatchObject([
      { action: 'create' },
      { ...event, actor_id: maintainer.id },
      { ...event, actor_id: owner.id },
    ]);

    const name = `planned-${randomUUID().slice(0, 8)}`;
    const created = {
      name,
      kind_id: kindId,
      cluster_id,
      helm_chart_id: tasks.chartId,
      config: { replicas: 1 },
      values_override: null,
    };
    await planned(() => tasks.call(owner, of_creation, { body: created }, patiently));
    const ofCreations = sql.type(z.object({ actor_id: z.string() }))`
      select actor_id from audit_log
      where action = 'plan' and object_id is null and details ->> 'namespace' = ${`web-${name}`}
    `;
    expect(await tasks.database.db.any(ofCreations)).toEqual([{ actor_id: owner.id }]);
  });

  test('names the deploy that only waits for readiness, which a change may end and disabling always ends', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, deployments.operations.update, { id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    const change = { config: { replicas: 4 } };
    expect((await planned(() => plan(id, change))).made.supersedes).toBeNull();

    const { task_id, fence } = claimed;
    await tasks.runner.call(runnerTasks.operations.heartbeat, { body: { task_id, fence, awaits: 'readiness' } });

    const supersedes = { task_id, operation: 'Upgrade' };
    expect((await planned(() => plan(id, change))).made).toMatchObject({
      supersedes: { ...supersedes, when: 'requested' },
    });
    const disabling = await planned(() => plan(id, { enabled: false }));
    expect(disabling.made).toMatchObject({ supersedes: { ...supersedes, when: 'always' } });
    expect(await plan(id, { description_md: 'no task' })).toMatchObject({ supersedes: null });
    expect(await tasks.task(task_id)).toMatchObject({ status: 'Started' });
    await tasks.finish(claimed);
  });

  test('needs no runner if there is no task', async () => {
    const { id } = await tasks.installed();

    expect(await plan(id, { description_md: 'new' })).toMatchObject({ tasks: [], objects: [], reinstalls: [] });
    expect(await plan(id, { config: { replicas: 1 } })).toMatchObject({ tasks: [] });
  });

  test('shows the removal for a disabled deployment, and for a rename also the release at its new place', async () => {
    const { id, namespace } = await tasks.installed();

    const disabling = await planned(() => plan(id, { enabled: false }));
    const renaming = await planned(() => plan(id, { name: 'elsewhere' }), 2);

    expect(disabling.made.tasks.map(({ operation }) => operation)).toEqual(['Uninstall']);
    expect(disabling.runs).toMatchObject([{ action: 'uninstall', namespace, chart: null, values: {} }]);
    expect(renaming.made.tasks.map(({ operation }) => operation)).toEqual(['Recreate', 'Upgrade']);
    const runs = renaming.runs.map(({ action, namespace: where }) => `${action} ${where}`).sort();
    expect(runs).toEqual(['deploy web-elsewhere', `uninstall ${namespace}`]);
    expect(renaming.made).toMatchObject({ unchanged: 6 });
  });

  test('is refused like the change itself', async () => {
    const { id } = await tasks.installed();
    const big = { config: { replicas: 99 } };

    await expect(plan(id, big)).rejects.toEqual(refusal('unprocessable', '', 'body.config.replicas'));
    await expect(plan(id, { helm_chart_id: randomUUID() })).rejects.toEqual(
      refusal('unprocessable', '', 'body.helm_chart_id'),
    );
    await expect(plan(id, {}, envUser)).rejects.toEqual(refusal('forbidden'));
    await expect(plan(id, {}, outsider)).rejects.toEqual(refusal('not_found'));
    await expect(plan(id, { values_override: { a: 1 } }, maintainer)).rejects.toEqual(refusal('forbidden'));
    await expect(plan(id, { cluster_id: tasks.otherClusterId }, envAdmin)).rejects.toEqual(refusal('unprocessable'));
    await tasks.call(owner, deployments.operations.delete, { id });
    await expect(plan(id, { enabled: false })).rejects.toEqual(refusal('conflict'));
    await tasks.runAll();
  });
});

describe('a plan of a creation', () => {
  const body = (fields: Partial<NewDeployment> = {}): NewDeployment => ({
    name: `p${randomUUID().slice(0, 8)}`,
    kind_id: kindId,
    cluster_id: tasks.clusterId,
    helm_chart_id: tasks.chartId,
    config: { replicas: 1 },
    values_override: null,
    ...fields,
  });

  test('shows the Install, and writes no deployment', async () => {
    const before = await allRows();
    const wanted = body();

    const { made, runs } = await planned(() => tasks.call(owner, of_creation, { body: wanted }, patiently));

    expect(made).toMatchObject({ etag: null, tasks: [{ operation: 'Install' }], reinstalls: [] });
    expect(runs).toMatchObject([{ action: 'deploy', namespace: `web-${wanted.name}` }]);
    expect(await allRows()).toEqual(before);
  });

  test('is refused like the creation itself', async () => {
    const { name } = await tasks.installed();
    const creating = (fields: Partial<NewDeployment>, as: Identity = owner) =>
      tasks.call(as, of_creation, { body: body(fields) }, patiently);

    await expect(creating({}, maintainer)).rejects.toEqual(refusal('forbidden'));
    await expect(creating({ name })).rejects.toEqual(refusal('conflict'));
    await expect(creating({ config: {} })).rejects.toEqual(refusal('unprocessable', '', 'body.config.replicas'));
  });
});

describe('a dry run', () => {
  const made = async (contents: string) =>
    tasks.call(envAdmin, secrets.operations.create, {
      body: { env_id: envId, collection: 'tokens', name: `s${randomUUID()}`, contents },
    });

  test('has contents of secrets only in its claim, including those of the installed revision', async () => {
    const form = {
      inputs: [
        { id: 'token', type: 'CollectionSelect', label: 'Token', collection: 'secrets' },
        { id: 'pin', type: 'text', label: 'Pin', sensitive: true },
      ],
      outputs: {
        values: [{ path: ['pin'], value: { FieldValue: { input: 'pin' } } }],
        secrets: { ours: { token: { FieldProperty: { input: 'token', property: 'contents' } } } },
      },
    };
    const chart = await tasks.publish.chart(sampleChart({ values_ui: form }));
    const [old, next] = [await made('c4n4ry-old'), await made('c4n4ry-new')];
    const make = () => tasks.create({ helm_chart_id: chart.id, config: { token: old.id, pin: 'c4n4ry-pin1' } });
    const { id } = await until(() => make().catch(() => null));
    await tasks.runAll();

    const answer = plan(id, { config: { token: next.id, pin: 'c4n4ry-pin2' } });
    const run = await claimDryRun();
    const stored = (await allRows())['dry_runs'];
    await finish(run, { result });

    expect(run).toMatchObject({ secrets: { ours: { token: 'c4n4ry-new' } } });
    expect([...run.confidential].sort()).toEqual(['c4n4ry-old', 'c4n4ry-pin1', 'c4n4ry-pin2']);
    expect(stored).not.toContain('c4n4ry');
    expect(stored).not.toContain(next.id);
    expect(JSON.stringify(await answer)).not.toContain('c4n4ry');
  });

  test('gives its runner access to cluster and chart while it lasts, and refuses other fences', async () => {
    const { id } = await tasks.installed();
    const answer = plan(id, { config: { replicas: 3 } });
    const run = await claimDryRun();
    const held = ({ task_id, fence }: Pick<DryRun, 'task_id' | 'fence'>) =>
      tasks.clusterSync.call(taskClaims.operations.get, { body: { task_id, fence } });

    expect(await held(run)).toEqual({
      deployment_id: id,
      cluster_id: tasks.clusterId,
      namespace: run.namespace,
      helm_chart_id: tasks.chartId,
      is_dry_run: true,
      adopts: false,
      env_id: envId,
      kind_id: kindId,
      task: null,
    });
    await expect(held({ ...run, fence: run.fence + 1 })).rejects.toEqual(refusal('conflict'));

    await finish({ ...run, fence: run.fence + 1 }, { failure: { refused: true, reason: 'a lie' } });
    await finish(run, { result });
    await finish(run, { failure: { refused: true, reason: 'too late' } });
    expect(await answer).toMatchObject({ unchanged: 3 });
    await expect(held(run)).rejects.toEqual(refusal('conflict'));
  });

  test('precedes an adoption, which later deploys at the same place repeat until one has succeeded', async () => {
    const creation = tasks.create({ adopt: true });
    const comparison = await claimDryRun();
    await finish(comparison, { result });
    const { id, cluster_id } = await creation;
    const next = async (outcome: 'Done' | 'Failed') => {
      const task = await tasks.claimed();
      await tasks.finish(task, outcome, outcome === 'Failed' ? 'no luck' : undefined);
      return [task.action, task.namespace === comparison.namespace, task.adopts ?? false];
    };
    const change = (body: DeploymentChanges) => tasks.call(owner, deployments.operations.update, { id, body });

    expect(comparison.adopts).toBe(true);
    expect(await next('Failed')).toEqual(['deploy', true, true]);
    await change({ config: { replicas: 2 } });
    expect(await next('Failed')).toEqual(['deploy', true, true]);
    const [last] = await tasks.tasksOf(id);
    await tasks.call(owner, deploymentTasks.operations.retry, { id: last?.id ?? '', body: {} });
    expect(await next('Failed')).toEqual(['deploy', true, true]);

    await change({ name: 'elsewhere' });
    const moved = await tasks.runAll();
    expect(moved.map(({ action, adopts = false }) => [action, adopts])).toContainEqual(['deploy', false]);
    expect(moved.filter(({ adopts }) => adopts)).toEqual([]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', cluster_id });
  });

  test("answers 422 with the runner's message if it is refused, and 503 without its cluster", async () => {
    const { id } = await tasks.installed();
    const failing = async (refused: boolean, reason: string) => {
      const answer = plan(id, { config: { replicas: 3 } });
      answer.catch(() => undefined);
      await finish(await claimDryRun(), { failure: { refused, reason } });
      return answer;
    };

    await expect(failing(true, 'replicas must be odd')).rejects.toEqual(
      refusal('unprocessable', 'replicas must be odd'),
    );
    await expect(failing(false, 'The cluster could not be reached')).rejects.toEqual(refusal('unavailable', 'reached'));
  });

  test('answers 503 if no runner takes it, 504 if it is not reported in time, and leaves no row', async () => {
    const { id } = await tasks.installed();
    const shortly = { deadlineMs: 5_000 };

    await expect(plan(id, { config: { replicas: 3 } }, owner, shortly)).rejects.toEqual(
      refusal('unavailable', 'No runner is free'),
    );
    const answer = plan(id, { config: { replicas: 3 } }, owner, shortly);
    answer.catch(() => undefined);
    await claimDryRun();
    await expect(answer).rejects.toEqual(refusal('timeout'));
    expect(await noDryRuns()).toBe(true);
  });

  test('answers 429 to a caller with too many of them, while others are served', async () => {
    const { id } = await tasks.installed();
    const waiting = Array.from({ length: most.ofRequester }, () => plan(id, { config: { replicas: 4 } }));
    const runs = [];
    for (const answer of waiting) {
      answer.catch(() => undefined);
      runs.push(await claimDryRun());
    }

    await expect(plan(id, { config: { replicas: 4 } })).rejects.toEqual(refusal('too_many_requests'));
    const other = await planned(() => plan(id, { config: { replicas: 4 } }, siteAdmin));

    expect(other.made).toMatchObject({ unchanged: 3 });
    await Promise.all(runs.map((run) => finish(run, { result })));
    expect(await Promise.all(waiting)).toHaveLength(most.ofRequester);
  });

  test('is counted while it waits, and by its outcome when it has ended', async () => {
    const { id } = await tasks.installed();
    const before = await planMetrics();

    const answer = plan(id, { config: { replicas: 5 } });
    const run = await claimDryRun();
    const waiting = await planMetrics();
    await finish(run, { result });
    await answer;
    const failing = plan(id, { config: { replicas: 5 } });
    failing.catch(() => undefined);
    await finish(await claimDryRun(), { failure: { refused: true, reason: 'replicas must be even' } });
    await expect(failing).rejects.toEqual(refusal('unprocessable'));
    const after = await planMetrics();

    expect([before, waiting, after].map(({ now }) => now)).toEqual([0, 1, 0]);
    expect(after.ended('ok') - before.ended('ok')).toBe(1);
    expect(after.ended('unprocessable') - before.ended('unprocessable')).toBe(1);
  });

  test('is removed if the process of its caller died', async () => {
    await tasks.database.db.query(statement`
      insert into dry_runs (id, requester, env_id, deployment_id, cluster_id, namespace, expires_at, sealed_run)
      values (gen_random_uuid(), 'user x', ${envId}, gen_random_uuid(), ${tasks.clusterId}, 'x', now() - interval '1 second', '')
    `);

    expect(await until(noDryRuns, 20_000)).toBe(true);
  });
});

import type { Client } from 'pg';
import type { Fixtures } from '@berth/devstack/testing/own-platform';

export interface ManyDeployments {
  /** The prefix of their names. */
  name: string;
  count: number;
  tasksOfEach: number;
  /** The age of each deployment's newest task, and the time between two tasks, in days. */
  youngest?: number;
  apart?: number;
}

/** Their cluster, kind and chart. */
export interface Target {
  clusterId: string;
  envId: string;
  kindId: string;
  chartId: string;
}

export const targetOf = ({ sample: { cluster, registry, chart } }: Fixtures): Target => ({
  clusterId: cluster.id,
  envId: cluster.env_id ?? '',
  kindId: registry.kind_id,
  chartId: chart.id,
});

/** Running deployments, each with a history of finished Upgrades: rows as the service writes them, but without releases. */
export async function insertManyDeployments(
  db: Client,
  { clusterId, envId, kindId, chartId }: Target,
  { name, count, tasksOfEach, youngest = 0, apart = 12 }: ManyDeployments,
): Promise<void> {
  await db.query(
    `insert into deployments (
       name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, state, installed_cluster_id, installed_namespace,
       polls_followed
     )
     select $1 || i, $2, $3, $4, 'bench-' || $1 || i, $5, '{"greeting": "hi", "replicas": 1}', 'Running', $4,
       'bench-' || $1 || i, true
     from generate_series(1, $6::int) i`,
    [name, kindId, envId, clusterId, chartId, count],
  );
  await db.query(
    `insert into deployment_tasks (
       created_at, execute_at, due_at, first_attempted_at, started_at, finished_at, cluster_id, env_id, deployment_id,
       operation, run, status, attempts
     )
     select at, at, at, at, at, at + interval '20 seconds', d.cluster_id, d.env_id, d.id,
       jsonb_build_object('Upgrade', jsonb_build_object(
         'helm_chart_id', d.helm_chart_id, 'prev_helm_chart_id', null, 'config_inputs', d.config, 'config_delta', null,
         'values_override', null)),
       jsonb_build_object('action', 'deploy', 'cluster_id', d.cluster_id, 'namespace', d.namespace, 'deployment_name', d.name,
         'kind', 'Bench', 'helm_chart_id', d.helm_chart_id, 'config', d.config, 'values_override', null),
       'Done', 1
     from deployments d
     cross join lateral (
       select date_trunc('milliseconds', now() - ($3::float8 + (i - 1 + random()) * $4::float8) * interval '1 day') as at
       from generate_series(1, $2::int) i
     ) times
     where d.name like $1 || '%'
     order by at`,
    [name, tasksOfEach, youngest, apart],
  );
  await db.query(
    `update deployments d set revision_id = t.id
     from (
       select distinct on (deployment_id) deployment_id, id from deployment_tasks order by deployment_id, execute_at desc
     ) t
     where t.deployment_id = d.id and d.name like $1 || '%'`,
    [name],
  );
  // The same as autovacuum does within a minute.
  await db.query('vacuum analyze deployments, deployment_tasks');
}

/** Adds a due Upgrade to each of them. */
export async function makeDue(db: Client, name: string): Promise<void> {
  await db.query(
    `insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation)
     select now(), now(), now(), cluster_id, env_id, id, '{"Reinstall": {"reason": "bench"}}'
     from deployments where name like $1 || '%'`,
    [name],
  );
  await db.query('vacuum analyze deployment_tasks');
}

/** Removes deployments whose names have this prefix, with their tasks. */
export async function removeManyDeployments(db: Client, name: string): Promise<void> {
  await db.query(
    "delete from deployment_tasks where deployment_id in (select id from deployments where name like $1 || '%')",
    [name],
  );
  await db.query("delete from deployments where name like $1 || '%'", [name]);
  await db.query('vacuum analyze deployments, deployment_tasks');
}

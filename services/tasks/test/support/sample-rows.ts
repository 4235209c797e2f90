import { randomUUID } from 'node:crypto';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const withId = sql.type(z.object({ id: z.uuid() }));

export const envId = '11111111-1111-4111-8111-111111111111';
const kindId = '33333333-3333-4333-8333-333333333333';
export const registryId = '44444444-4444-4444-8444-444444444444';
const chartId = '55555555-5555-4555-8555-555555555555';

export interface ClusterRow {
  id?: string;
  name?: string;
  env_id?: string | null;
  is_ok?: boolean;
  ignore?: boolean;
  deleted?: boolean;
  last_seen_at?: string;
}

/** Projections of other services' rows, as if they had arrived over the bus. */
export async function insertCluster(db: Queries, row: ClusterRow = {}): Promise<string> {
  const { id = randomUUID(), name = 'prod', env_id = envId, is_ok = true, ignore = false, deleted = false } = row;
  await db.query(statement`
    insert into k8s_cluster_projection (id, version, deleted, env_id, name, is_ok, ignore, last_seen_at)
    values (${id}, 1, ${deleted}, ${env_id}, ${name}, ${is_ok}, ${ignore}, ${row.last_seen_at ?? '2026-01-01T10:00:00Z'})
  `);
  return id;
}

let count = 0;

export async function insertDeployment(db: Queries, cluster_id: string): Promise<string> {
  count += 1;
  const name = `d${count}`;
  const { id } = await db.one(withId`
    insert into deployments (name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config)
    values (${name}, ${kindId}, ${envId}, ${cluster_id}, ${`web-${name}`}, ${chartId}, '{}')
    returning id
  `);
  return id;
}

export interface TaskRow {
  deployment_id: string;
  cluster_id: string;
  also_cluster_id?: string | null;
  status?: 'Pending' | 'Started' | 'Done' | 'Failed' | 'Canceled';
  /** Seconds from now; negative if in the past. */
  due_in?: number;
  execute_in?: number;
  attempts?: number;
  env_id?: string;
  /** The id of the user who requested it. */
  requester?: string;
  /** An Install by default. */
  operation?: object | undefined;
  /** The lease of a started task, in seconds from now. */
  lease_in?: number;
}

export async function insertTask(db: Queries, row: TaskRow): Promise<string> {
  const { status = 'Pending', execute_in = -1, attempts = 0, lease_in = 30 } = row;
  const run = {
    action: 'deploy',
    cluster_id: row.cluster_id,
    namespace: 'web-x',
    deployment_name: 'x',
    kind: 'Web',
    helm_chart_id: chartId,
    config: {},
    values_override: null,
  };
  const install = { Install: { helm_chart_id: chartId, config_inputs: {}, values_override: null } };
  const { id } = await db.one(withId`
    insert into deployment_tasks (
      created_at, execute_at, due_at, cluster_id, also_cluster_id, env_id, deployment_id, operation, run, status,
      attempts, lease_until, requester
    ) values (
      now(), now() + ${execute_in} * interval '1 second', now() + ${row.due_in ?? execute_in} * interval '1 second',
      ${row.cluster_id}, ${row.also_cluster_id ?? null}, ${row.env_id ?? envId}, ${row.deployment_id}, ${JSON.stringify(row.operation ?? install)}::jsonb,
      ${sql.jsonb(run)} || coalesce(
        (select jsonb_build_object('namespace', d.namespace) from deployments d where d.id = ${row.deployment_id}), '{}'
      ), ${status}, ${attempts},
      case when ${status === 'Started'} then now() + ${lease_in} * interval '1 second' end,
      ${row.requester === undefined ? null : JSON.stringify({ kind: 'user', id: row.requester })}::jsonb
    )
    returning id
  `);
  return id;
}

/** A long queue: this many deployments on the cluster, each with a due and a scheduled task. */
export async function insertQueue(db: Queries, cluster_id: string, length: number): Promise<void> {
  await db.query(statement`
    insert into deployments (name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config)
    select 'q' || i, ${kindId}, ${envId}, ${cluster_id}, 'web-q' || i, ${chartId}, '{}'
    from generate_series(1, ${length}::int) i
  `);
  await db.query(statement`
    insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation)
    select now(), now() + at, now() + at, cluster_id, env_id, id, '{"Uninstall": {}}'
    from deployments, (values (interval '-1 minute'), (interval '1 day')) as times(at)
    where cluster_id = ${cluster_id}
  `);
}

export const emptyAll = (db: Queries) =>
  db.query(statement`
    truncate deployments, installed_runs, installed_references, names_on_clusters, deployment_task_inputs, status_polls, resource_type_registrations, deployment_resources, deployment_references, deployment_tasks, deployment_task_log, k8s_cluster_projection,
      helm_registry_projection, helm_chart_projection, deployment_kind_projection, env_projection, outbox
  `);

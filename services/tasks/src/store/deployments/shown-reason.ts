import { sql } from 'slonik';

/** The first task that runs or is due; one that an earlier statement of the same transaction queued is due already. */
const openTask = sql.fragment`(
  select 'Task: ' || (select min(variant) from jsonb_object_keys(t.operation) as variant)
    || case t.status when 'Started' then ' is under way' else ' is queued' end
  from deployment_tasks t
  where t.deployment_id = deployments.id and t.status in ('Pending', 'Started') and t.due_at <= statement_timestamp()
  order by t.execute_at, t.created_at, t.seq limit 1
)`;

/** A new deployment is created before its task, in the same transaction. */
const atFirst = sql.fragment`case
  when state = 'Unknown' and enabled and revision_id is null then 'Task: it is to be installed'
end`;

/** For a deletion, and a task that waits for its next attempt. */
const inBetween = sql.fragment`case
  when deleting then 'Task: its deletion is under way'
  when state = 'Installing' then 'Task: it is being installed'
  when state = 'Upgrading' then 'Task: it is being upgraded'
  when state = 'Renaming' then 'Task: it is being moved'
  when state = 'Uninstalling' then 'Task: it is being uninstalled'
end`;

/** Who sees a deployment that moves to another env need not see the cluster that it leaves. */
const namesForeignCluster = sql.fragment`(
  health_state = 'Unknown' and deployments.installed_cluster_id <> deployments.cluster_id and not exists (
    select from k8s_cluster_projection c
    where c.id = deployments.installed_cluster_id and c.env_id = deployments.env_id
  )
)`;

const foreignSilence = 'the cluster of another env where it is installed does not answer, or is ignored';

/** The health that users read, for statements over `deployments`. */
export const shownHealth = sql.fragment`case
  when ${namesForeignCluster} then jsonb_set(health, '{reason}', to_jsonb(${foreignSilence}::text)) else health
end`;

const ofWorkload = sql.fragment`case
  when health_state in ('Degraded', 'Progressing', 'Unknown') then 'Workload: ' || (${shownHealth} ->> 'reason')
end`;

/** The reason that users read, for statements over `deployments`; null if nothing is wrong and nothing is under way. */
export const shownReason = sql.fragment`nullif(concat_ws('; ', coalesce(deployments.reason, ${atFirst}, ${openTask}, ${inBetween}), ${ofWorkload}), '')`;

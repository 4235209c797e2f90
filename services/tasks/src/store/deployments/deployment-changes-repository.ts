import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import { PublishedDeployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Transaction } from '@berth/db/database';
import { recordState } from '@berth/db/outbox/outbox';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { DeploymentRecord, publicDeployment } from '../../records/deployment-record.ts';
import { publishedColumns, recordColumns } from './deployment-repository.ts';
import { hostnameOf } from './hostname-sql.ts';
import { nameTaken } from './name-taken.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { Reference } from '../../records/reference.ts';

const record = sql.type(DeploymentRecord);
const nowInMicros = sql.fragment`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** Health that was reported before a change of the installed place does not count after it. */
const healthIn = ({ installed_cluster_id, installed_namespace }: InstalledPlace) => {
  const stays = sql.fragment`(installed_cluster_id, installed_namespace)
    is not distinct from (${installed_cluster_id}::uuid, ${installed_namespace}::text)`;
  return sql.fragment`
    health = case when ${stays} then health end, health_state = case when ${stays} then health_state end,
    health_version = case when ${stays} then health_version else ${nowInMicros} end`;
};

/** Every change of a deployment, each published in its transaction. */
export const createDeploymentChanges = (tx: Transaction) => {
  const published = publishing(tx, deployments, publicDeployment);
  const moved = publishing<PublishedDeployment>(tx, deployments);
  const saveState = (row: DeploymentRecord) =>
    tx.one(record`
      update deployments set
        state = ${row.state}, deleting = ${row.deleting}, reason = ${row.reason},
        revision_id = ${row.revision_id}, reported_status = ${jsonOrNull(row.reported_status)},
        installed_cluster_id = ${row.installed_cluster_id}, installed_namespace = ${row.installed_namespace},
        ${healthIn(row)},
        polls_followed = polls_followed and (${row.state}, ${row.deleting}, ${row.revision_id}::uuid, ${row.installed_cluster_id}::uuid)
          is not distinct from (state, deleting, revision_id, installed_cluster_id)
      where id = ${row.id}
      returning ${recordColumns}
    `);
  return {
    insert: (row: NewDeploymentRow) =>
      tx
        .one(record`
            insert into deployments (
              id, name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, values_override, ingress_name
            ) values (
              ${row.id}, ${row.name}, ${row.kind_id}, ${row.env_id}, ${row.cluster_id}, ${row.namespace}, ${row.helm_chart_id},
              ${sql.jsonb(row.config)}, ${jsonOrNull(row.values_override)}, ${hostnameOf(row)}
            )
            returning ${recordColumns}
          `)
        .catch(nameTaken(row))
        .then(published.inserted),

    /** Writes the fields that users can change, and the place that follows from them. */
    saveWanted: (row: DeploymentRecord) =>
      tx
        .one(record`
            update deployments set
              name = ${row.name}, env_id = ${row.env_id}, cluster_id = ${row.cluster_id},
              namespace = ${row.namespace}, enabled = ${row.enabled}, deleting = ${row.deleting},
              description_md = ${row.description_md}, helm_chart_id = ${row.helm_chart_id},
              config = ${sql.jsonb(row.config)}, values_override = ${jsonOrNull(row.values_override)},
              reported_status = case when ${row.enabled} and not ${row.deleting} then reported_status end,
              -- Hostnames shared before this rule block only changes of the hostname.
              ingress_name = case
                when (name, cluster_id, helm_chart_id) = (${row.name}, ${row.cluster_id}::uuid, ${row.helm_chart_id}::uuid)
                then ingress_name else ${hostnameOf(row)}
              end,
              polls_followed = false
            where id = ${row.id}
            returning ${recordColumns}
          `)
        .catch(nameTaken(row))
        .then(published.updated),

    /** Writes the state that a task sets. */
    saveState: (row: DeploymentRecord) => saveState(row).then(published.updated),

    /** Writes the state at the start of a task, and publishes the task, too: the claim does not. */
    saveStarted: async (row: DeploymentRecord, { id, env_id, status }: TaskRecord) => {
      recordState(tx, deploymentTasks, { id, env_id, operation: 'UPDATE', row: { id, status } });
      return saveState(row).then(published.updated);
    },

    remove: (id: string) =>
      tx.one(record`delete from deployments where id = ${id} returning ${recordColumns}`).then(published.deleted),

    /** Replaces the references of its inputs. */
    saveReferences: async (id: string, references: readonly Reference[]) => {
      await tx.query(statement`delete from deployment_references where deployment_id = ${id}`);
      if (references.length === 0) return;
      await tx.query(statement`
        insert into deployment_references (deployment_id, input, collection, item_id)
        select distinct ${id}::uuid, r.input, r.collection, r.item_id
        from jsonb_to_recordset(${sql.jsonb([...references])}) as r(input text, collection text, item_id uuid)
      `);
    },

    /** Moves deployments to their cluster's env and returns them, locked in the order of ids. */
    followEnv: (cluster_id: string, env_id: string): Promise<readonly PublishedDeployment[]> =>
      tx
        .any(sql.type(PublishedDeployment)`
        with moved as materialized (
          select id as moved_id from deployments where cluster_id = ${cluster_id} and env_id <> ${env_id} order by id for no key update
        )
        update deployments set env_id = ${env_id} from moved where id = moved_id
        returning ${publishedColumns}
      `)
        .then(moved.updated),
  };
};

type InstalledPlace = Pick<DeploymentRecord, 'installed_cluster_id' | 'installed_namespace'>;

export type NewDeploymentRow = Pick<
  DeploymentRecord,
  'id' | 'name' | 'kind_id' | 'env_id' | 'cluster_id' | 'namespace' | 'helm_chart_id' | 'config' | 'values_override'
>;

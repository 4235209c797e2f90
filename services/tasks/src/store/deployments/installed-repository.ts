import { Id } from '@berth/contracts/fields/fields';
import type { Queries, Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import type { RunsLeft } from '../../engine/tasks/installed-runs.ts';
import type { Reference } from '../../records/reference.ts';
import { DeployRun } from '../../records/task-run.ts';
import { hostnameOf } from './hostname-sql.ts';
import { nameTaken } from './name-taken.ts';

const Unread = z.object({ deployment_id: Id, task_id: Id });

/** The runs of which deployments may have objects, with their hostnames and references. */
export const createInstalledRepository = (db: Queries) => ({
  /** The first label of the hostname of a run; null if it has none of its own. */
  hostnameOf: async (deployment_id: string, task_id: string | null): Promise<string | null> =>
    (
      await db.maybeOne(sql.type(z.object({ hostname: z.string().nullable() }))`
        select hostname from installed_runs where deployment_id = ${deployment_id} and task_id = ${task_id}
      `)
    )?.hostname ?? null,

  hasRuns: (deployment_id: string) =>
    db.exists(statement`select from installed_runs where deployment_id = ${deployment_id}`),

  /** The newest of the runs, the revision first. */
  runsOf: async (deployment_id: string, most: number): Promise<DeployRun[]> =>
    [
      ...(await db.any(sql.type(z.object({ run: DeployRun }))`
        select t.run from deployment_tasks t join deployments d on d.id = t.deployment_id
        where d.id = ${deployment_id} and t.run ->> 'action' = 'deploy' and (
          t.id = d.revision_id
          or exists (select from installed_runs i where i.deployment_id = d.id and i.task_id = t.id)
        )
        order by t.id is not distinct from d.revision_id desc, t.created_at desc limit ${most}
      `)),
    ].map(({ run }) => run),

  /** Runs of the version before, whose references are not known. */
  unread: (limit: number) =>
    db.any(sql.type(Unread)`
      select deployment_id, task_id from installed_runs where not references_known order by deployment_id limit ${limit}
    `),

  /** Deployments whose runs a replica of the version before has changed. */
  outdated: (limit: number) =>
    db.any(sql.type(z.object({ id: Id }))`
      select d.id from deployments d
      where (
        d.installed_cluster_id is not null and d.revision_id is not null
        and not exists (select from installed_runs i where i.deployment_id = d.id and i.task_id = d.revision_id)
      ) or (
        d.installed_cluster_id is null and exists (select from installed_runs i where i.deployment_id = d.id)
      )
      order by d.id limit ${limit}
    `),
});

type References = readonly Pick<Reference, 'collection' | 'item_id'>[];

export interface BegunRun {
  task_id: string;
  run: DeployRun;
  /** `as wanted`: those of the deployment. Null: not known. */
  references: References | 'as wanted' | null;
}

/** Changes of the same, under the lock of the deployment. */
export const createInstalledChanges = (tx: Transaction) => {
  async function saveReferences(deployment_id: string, task_id: string, references: References): Promise<void> {
    await tx.query(statement`
      with added as (
        insert into installed_references (deployment_id, task_id, collection, item_id)
        select distinct ${deployment_id}::uuid, ${task_id}::uuid, r.collection, r.item_id
        from jsonb_to_recordset(${sql.jsonb(references.map(({ collection, item_id }) => ({ collection, item_id })))})
          as r(collection text, item_id uuid)
        on conflict do nothing
      )
      update installed_runs set references_known = true where deployment_id = ${deployment_id} and task_id = ${task_id}
    `);
  }

  async function copyReferences(deployment_id: string, task_id: string): Promise<void> {
    await tx.query(statement`
      with added as (
        insert into installed_references (deployment_id, task_id, collection, item_id)
        select distinct deployment_id, ${task_id}::uuid, collection, item_id
        from deployment_references where deployment_id = ${deployment_id}
        on conflict do nothing
      )
      update installed_runs set references_known = true where deployment_id = ${deployment_id} and task_id = ${task_id}
    `);
  }

  return {
    saveReferences,

    /** Throws a conflict if another deployment holds the hostname of the run. */
    begin: async (id: string, { task_id, run, references }: BegunRun): Promise<void> => {
      const named = { name: run.deployment_name, namespace: run.namespace, helm_chart_id: run.helm_chart_id };
      const added = await tx
        .maybeOne(sql.type(z.object({ task_id: Id }))`
          insert into installed_runs (deployment_id, task_id, hostname)
          select d.id, ${task_id}::uuid, case
            -- Null for a hostname that was shared before none could be.
            when (d.name, d.namespace, d.helm_chart_id) = (${named.name}, ${named.namespace}, ${named.helm_chart_id}::uuid)
            then d.ingress_name else ${hostnameOf(named)}
          end
          from deployments d where d.id = ${id}
          on conflict do nothing
          returning task_id
        `)
        .catch(nameTaken(named));
      if (!added) return;
      if (references === 'as wanted') await copyReferences(id, task_id);
      else if (references) await saveReferences(id, task_id, references);
    },

    leave: async (deployment_id: string, left: RunsLeft): Promise<void> => {
      if (left === 'all') return;
      const which =
        'without' in left
          ? sql.fragment`task_id = ${left.without}`
          : sql.fragment`task_id is distinct from ${left.only}::uuid`;
      await tx.query(statement`delete from installed_runs where deployment_id = ${deployment_id} and ${which}`);
    },

    /** Drops failed runs that add neither a hostname nor a reference to a later one: thousands may fail in a row. */
    dropCovered: async (deployment_id: string, task_id: string): Promise<void> => {
      await tx.query(statement`
      delete from installed_runs i
      using installed_runs begun, deployments d
      where begun.deployment_id = ${deployment_id} and begun.task_id = ${task_id} and begun.references_known
        and d.id = begun.deployment_id
        and i.deployment_id = begun.deployment_id and i.task_id <> begun.task_id
        and i.task_id is distinct from d.revision_id
        and i.references_known and i.hostname is not distinct from begun.hostname
        and not exists (
          select from installed_references r
          where r.deployment_id = i.deployment_id and r.task_id = i.task_id and not exists (
            select from installed_references n
            where n.deployment_id = begun.deployment_id and n.task_id = begun.task_id
              and n.collection = r.collection and n.item_id = r.item_id
          )
        )
    `);
    },
  };
};

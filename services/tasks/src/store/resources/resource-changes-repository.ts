import { deploymentResources } from '@berth/contracts/resources/deployments/deployment-resources';
import type { Transaction } from '@berth/db/database';
import { publishing } from '@berth/db/outbox/publishing';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import type { WrappedKey } from '../../records/secret-record.ts';
import { publicResource, ResourceRecord, type SealedProps } from '../../records/resource-record.ts';
import { inMs, newFence } from '../queue/claim-sql.ts';
import { pending } from './call-obstacle.ts';
import { recordColumns } from './resource-repository.ts';

const record = sql.type(ResourceRecord);

export type NewResourceRow = Omit<ResourceRecord, 'created_at' | 'is_live' | 'sensitive' | 'fence' | 'revision'> & {
  created_at: string | undefined;
};

/** Every change of a resource. Visible changes are published in their transaction. */
export const createResourceChanges = (tx: Transaction) => {
  const published = publishing(tx, deploymentResources, publicResource);
  const saved = (row: ResourceRecord): ResourceRecord =>
    row.is_live ? published.updated(row) : published.deleted(row);
  const nameTaken = (name: string) =>
    conflictOn('deployment_resources_name_key', `There is a resource ${name} of this type already`);
  const idTaken = (id: string) => conflictOn('deployment_resources_pkey', `There is a resource ${id} already`);
  const binary = (bytes: Buffer | null) => (bytes === null ? null : sql.binary(bytes));

  return {
    insert: async (row: NewResourceRow) => {
      // A deleted resource may be created again under its id.
      await tx.query(statement`delete from deployment_resources where id = ${row.id} and not is_live`);
      const inserted = await tx
        .one(record`
          with inserted as (
            insert into deployment_resources (
              id, created_at, type_id, env_id, deployment_id, name, props, sealed_names, key_id, wrapped_key,
              sealed_props, sync_status, sync_reason, known, origin
            ) values (
              ${row.id}, coalesce(${row.created_at ?? null}::timestamptz, now()), ${row.type_id}, ${row.env_id},
              ${row.deployment_id}, ${row.name}, ${sql.jsonb(row.props)}, ${sql.array(row.sealed_names, 'text')},
              ${row.key_id}, ${binary(row.wrapped_key)}, ${binary(row.sealed_props)}, ${row.sync_status},
              ${row.sync_reason}, ${row.known}, ${jsonOrNull(row.origin)}
            )
            returning *
          )
          select ${recordColumns} from inserted r join deployment_resource_types t on t.id = r.type_id
        `)
        .catch(nameTaken(row.name))
        .catch(idTaken(row.id));
      return published.inserted(inserted);
    },

    /** The resource after a request. Due at once, unless a call is in flight. */
    saveChange: (row: ResourceRecord) =>
      tx
        .one(record`
          with saved as (
            update deployment_resources set
              name = ${row.name}, props = ${sql.jsonb(row.props)}, sealed_names = ${sql.array(row.sealed_names, 'text')},
              key_id = ${row.key_id}, wrapped_key = ${binary(row.wrapped_key)},
              sealed_props = ${binary(row.sealed_props)}, is_live = ${row.is_live}, sync_status = ${row.sync_status},
              sync_reason = ${row.sync_reason}, known = ${row.known}, fence = ${row.fence},
              is_outdated = ${row.is_outdated}, origin = ${jsonOrNull(row.origin)}, attempts = 0,
              due_at = case when ${row.fence}::bigint is null then clock_timestamp() else due_at end,
              revision = revision + 1, changed_at = clock_timestamp()
            where id = ${row.id}
            returning *
          )
          select ${recordColumns} from saved r join deployment_resource_types t on t.id = r.type_id
        `)
        .catch(nameTaken(row.name))
        .then(saved),

    /** A call starts, under a lease of the given length. */
    saveStart: async ({ id, known }: Pick<ResourceRecord, 'id' | 'known'>, leaseMs: number): Promise<number> =>
      tx.oneFirst(sql.type(z.object({ fence: z.number().int() }))`
        update deployment_resources set
          known = ${known}, is_outdated = false, due_at = ${inMs(leaseMs)}, fence = ${newFence}
        where id = ${id}
        returning fence
      `),

    /** The resource after a call, or after its managing deployment ended. */
    saveSync: (row: ResourceRecord, { dueInMs = 0, orphaned = false } = {}) =>
      tx
        .one(record`
        with saved as (
          update deployment_resources set
            is_live = ${row.is_live}, sync_status = ${row.sync_status}, sync_reason = ${row.sync_reason},
            known = ${row.known}, attempts = ${row.attempts}, fence = ${row.fence}, is_outdated = ${row.is_outdated},
            is_slow = ${row.is_slow}, orphaned = orphaned or ${orphaned},
            due_at = ${inMs(dueInMs)},
            changed_at = clock_timestamp()
          where id = ${row.id}
          returning *
        )
        select ${recordColumns} from saved r join deployment_resource_types t on t.id = r.type_id
      `)
        .then(saved),

    /** The deployment can be called again, so all its waiting calls become due. */
    hasten: async (deployment_id: string): Promise<void> => {
      await tx.query(statement`
        update deployment_resources set due_at = clock_timestamp(), attempts = 0
        where id in (
          select r.id from deployment_resources r
          where r.deployment_id = ${deployment_id} and ${pending} and r.fence is null for update skip locked
        )
      `);
    },

    lockOrphans: (most: number) =>
      tx.any(record`
        select ${recordColumns} from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.is_live and r.deployment_id is null and not r.orphaned
        order by r.id limit ${most} for no key update of r skip locked
      `),

    lockExposed: (most: number) =>
      tx.any(record`
        select ${recordColumns} from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.is_exposed and r.is_live order by r.id limit ${most} for no key update of r skip locked
      `),

    /** Seals props that became sensitive; nothing visible changes. */
    saveSealed: async ({ id, ...row }: { id: string } & SealedProps): Promise<void> => {
      await tx.query(statement`
        update deployment_resources set
          props = ${sql.jsonb(row.props)}, sealed_names = ${sql.array(row.sealed_names, 'text')}, key_id = ${row.key_id},
          wrapped_key = ${binary(row.wrapped_key)}, sealed_props = ${binary(row.sealed_props)}, is_exposed = false
        where id = ${id}
      `);
    },

    /** Resources deleted more than a day ago. */
    forget: (most: number) =>
      tx.query(statement`
        delete from deployment_resources where id in (
          select id from deployment_resources
          where not is_live and changed_at < clock_timestamp() - interval '1 day'
          order by changed_at limit ${most} for update skip locked
        )
      `),

    /** The same props under another key; nothing visible changes. */
    saveWrapped: async ({ id, key_id, wrapped_key }: { id: string } & WrappedKey): Promise<void> => {
      await tx.query(statement`
        update deployment_resources set key_id = ${key_id}, wrapped_key = ${sql.binary(wrapped_key)} where id = ${id}
      `);
    },

    /** Moves resources to the env of their cluster. If a name is taken there, a part of the id is added to it. */
    followEnv: async (deployment_ids: readonly string[], env_id: string): Promise<void> => {
      const moved = await tx.any(record`
        with moved as (
          update deployment_resources r set
            env_id = ${env_id},
            name = case when exists (
              select from deployment_resources other
              where other.type_id = r.type_id and other.env_id = ${env_id} and other.name = r.name and other.is_live
            ) then left(r.name, 91) || '-' || left(r.id::text, 8) else r.name end
          where deployment_id = any(${sql.array([...deployment_ids], 'uuid')}) and is_live and env_id <> ${env_id}
          returning *
        )
        select ${recordColumns} from moved r join deployment_resource_types t on t.id = r.type_id
      `);
      published.updated(moved);
    },

    removeOfEnv: async (env_id: string): Promise<readonly ResourceRecord[]> => {
      const gone = await tx.any(record`
        with gone as (delete from deployment_resources where env_id = ${env_id} returning *)
        select ${recordColumns} from gone r join deployment_resource_types t on t.id = r.type_id
      `);
      return published.deleted(gone.filter(({ is_live }) => is_live));
    },
  };
};

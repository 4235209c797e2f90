import {
  DeploymentResourceType,
  deploymentResourceTypes,
} from '@berth/contracts/resources/deployments/deployment-resource-types';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { Transaction } from '@berth/db/database';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

/** A type as a chart defines it. */
export interface DefinedType {
  key: string;
  /** Null: global. */
  env_id: string | null;
  spec: JsonObject;
  /** Sensitive inputs of its form. */
  sensitive: string[];
}

/** The deployment that registers types. */
export interface Registering {
  readonly id: string;
  readonly kind_id: string;
  readonly env_id: string;
}

const columns = sql.fragment`t.id, t.created_at, t.env_id, t.deployment_kind_id, t.key, t.spec`;
const Kept = DeploymentResourceType.extend({ is_new: z.boolean() });
const Known = z.object({ type_id: z.string(), names: z.array(z.string()) });

export const createTypeChanges = (tx: Transaction) => {
  const published = publishing(tx, deploymentResourceTypes);

  /**
   * Replaces the types that the deployment registers. The latest registration decides the spec of a type; registering an
   * unchanged spec again does not count.
   */
  const register = async (by: Registering, types: readonly DefinedType[]): Promise<void> => {
    const { id: deployment_id, kind_id, env_id } = by;
    // Makes registrations of one kind run one after the other, so that two deployments cannot deadlock on types.
    await tx.query(statement`select pg_advisory_xact_lock(hashtextextended(${`resource types ${kind_id}`}, 0))`);
    const defined = sql.fragment`
      jsonb_to_recordset(${sql.jsonb(types.map((each) => ({ ...each })))})
        as n(key text, env_id uuid, spec jsonb, sensitive jsonb)`;
    const before = await tx.anyFirst(sql.type(z.object({ type_id: z.string() }))`
      select type_id from resource_type_registrations where deployment_id = ${deployment_id}
    `);
    const known = await tx.any(sql.type(Known)`
      select s.type_id, s.names from resource_type_sensitive s
      join deployment_resource_types t on t.id = s.type_id
      where t.deployment_kind_id = ${kind_id} and s.env_id = ${env_id}
    `);
    const kept = await tx.any(sql.type(Kept)`
      insert into deployment_resource_types as t (env_id, deployment_kind_id, key, spec, sensitive)
      select n.env_id, ${kind_id}::uuid, n.key, n.spec, array(select jsonb_array_elements_text(n.sensitive))
      from ${defined} order by n.key
      on conflict on constraint deployment_resource_types_key do update
        set sensitive = array(select distinct name from unnest(t.sensitive || excluded.sensitive) name order by name)
      returning ${columns}, (xmax = 0) as is_new
    `);
    await tx.query(statement`
      delete from resource_type_registrations where deployment_id = ${deployment_id}
        and not (type_id = any(${sql.array(
          kept.map(({ id }) => id),
          'uuid',
        )}))
    `);
    await tx.query(statement`
      insert into resource_type_registrations as r (deployment_id, type_id, spec)
      select ${deployment_id}::uuid, t.id, n.spec
      from ${defined}
      join deployment_resource_types t
        on t.deployment_kind_id = ${kind_id} and t.key = n.key and t.env_id is not distinct from n.env_id
      on conflict (deployment_id, type_id) do update set spec = excluded.spec, registered_at = clock_timestamp()
        where r.spec <> excluded.spec
    `);

    // Only for the env of the deployment: a chart in another env hides nothing here.
    const hidden = await tx.any(sql.type(Known)`
      insert into resource_type_sensitive as s (type_id, env_id, names)
      select t.id, ${env_id}::uuid, array(select jsonb_array_elements_text(n.sensitive) order by 1)
      from ${defined}
      join deployment_resource_types t
        on t.deployment_kind_id = ${kind_id} and t.key = n.key and t.env_id is not distinct from n.env_id
      on conflict on constraint resource_type_sensitive_pkey do update
        set names = array(select distinct name from unnest(s.names || excluded.names) name order by name)
      returning s.type_id, s.names
    `);
    const namesBefore = new Map(known.map(({ type_id, names }) => [type_id, names.length]));
    const grown = hidden.filter(({ type_id, names }) => names.length > (namesBefore.get(type_id) ?? 0));
    await tx.query(statement`
      update deployment_resources r set is_exposed = true
      from resource_type_sensitive s
      where s.type_id = r.type_id and s.env_id = r.env_id and r.is_live and r.props ?| s.names and r.env_id = ${env_id}
        and s.type_id = any(${sql.array(
          grown.map(({ type_id }) => type_id),
          'uuid',
        )})
    `);

    const affected = [...new Set([...before, ...kept.map(({ id }) => id)])];
    const changed = await tx.any(sql.type(DeploymentResourceType)`
      update deployment_resource_types t set spec = newest.spec
      from (
        select distinct on (type_id) type_id, spec from resource_type_registrations
        where type_id = any(${sql.array(affected, 'uuid')})
        order by type_id, registered_at desc, deployment_id
      ) newest
      where t.id = newest.type_id and t.spec <> newest.spec
      returning ${columns}
    `);
    published.inserted(kept.filter(({ is_new }) => is_new).map(({ is_new: _isNew, ...row }) => row));
    published.updated(changed);
  };

  return {
    register,

    /** The deployment registers nothing any longer. */
    withdraw: async (by: Registering): Promise<void> => {
      const registers = statement`
      select from resource_type_registrations where deployment_id = ${by.id}
    `;
      if (await tx.exists(registers)) await register(by, []);
    },

    /** Removes the types of a deleted env, with their resources. */
    removeOfEnv: async (env_id: string): Promise<void> => {
      await tx.query(statement`delete from resource_type_sensitive where env_id = ${env_id}`);
      await tx
        .any(sql.type(DeploymentResourceType)`
          delete from deployment_resource_types t where env_id = ${env_id} returning ${columns}
        `)
        .then(published.deleted);
    },
  };
};

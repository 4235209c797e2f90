import { JsonObject } from '@berth/contracts/fields/fields';
import type { Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { ResourceRecord } from '../../records/resource-record.ts';
import { obstacle, pending } from './call-obstacle.ts';
import { recordColumns } from './resource-repository.ts';

/** A resource whose call is due, and where its managing deployment is called. */
const DueCall = ResourceRecord.extend({
  key: z.string(),
  spec: JsonObject,
  hostname: z.string().nullable(),
  namespace: z.string(),
  cluster_name: z.string(),
  ingress_domain: z.string().nullable(),
  features: JsonObject.nullable(),
});
export type DueCall = z.infer<typeof DueCall>;

const inLane = { quick: 2, slow: 1 } as const;

export const createResourceCalls = (tx: Transaction) => ({
  /**
   * The resources that have been due longest, of the env with the fewest calls under way, with a limit per managing deployment.
   * Deployments that answered slowly have separate slots.
   */
  lockDue: async (lane: 'quick' | 'slow', most: number): Promise<readonly DueCall[]> => {
    if (most === 0) return [];
    // Makes claims run one after the other, so that a deployment cannot exceed its limit.
    await tx.query(statement`select pg_advisory_xact_lock(hashtextextended('claim of resource calls', 0))`);
    return tx.any(sql.type(DueCall)`
      with recursive waiting as (
        -- Each pair once: thousands of resources may wait for a deployment that is disabled.
        (
          select r.deployment_id, r.type_id from deployment_resources r
          where ${pending} and r.deployment_id is not null
          order by r.deployment_id, r.type_id limit 1
        )
        union all
        select next.deployment_id, next.type_id from waiting
        cross join lateral (
          select r.deployment_id, r.type_id from deployment_resources r
          where ${pending} and r.deployment_id is not null
            and (r.deployment_id, r.type_id) > (waiting.deployment_id, waiting.type_id)
          order by r.deployment_id, r.type_id limit 1
        ) next
      ),
      callable as materialized (
        select r.deployment_id, r.type_id, m.env_id from waiting r join deployments m on m.id = r.deployment_id
        where ${obstacle} is null
      ),
      managers as materialized (
        select d.deployment_id, d.env_id,
          exists (
            select from deployment_resources s where s.deployment_id = d.deployment_id and s.is_slow and s.is_live
          ) as is_slow,
          (
            select count(*) from deployment_resources f
            where f.deployment_id = d.deployment_id and f.fence is not null and f.due_at > clock_timestamp()
          ) as in_flight
        from (select distinct deployment_id, env_id from callable) d
      ),
      due as materialized (
        select next.id from managers
        cross join lateral (
          select first.id, first.due_at from callable
          cross join lateral (
            select r.id, r.due_at from deployment_resources r
            where r.deployment_id = callable.deployment_id and r.type_id = callable.type_id
              and ${pending} and r.deployment_id is not null and r.due_at <= clock_timestamp()
            order by r.due_at, r.id limit ${inLane[lane]}
          ) first
          where callable.deployment_id = managers.deployment_id
          order by first.due_at, first.id
          limit greatest(0, ${inLane[lane]} - managers.in_flight)
        ) next
        where managers.is_slow = ${lane === 'slow'}
        order by (select sum(o.in_flight) from managers o where o.env_id = managers.env_id), next.due_at limit ${most}
      )
      select ${recordColumns}, t.key, g.spec, i.hostname, m.installed_namespace as namespace,
        k.name as cluster_name, k.ingress_domain, c.features
      from due
      join deployment_resources r on r.id = due.id
      join deployment_resource_types t on t.id = r.type_id
      join deployments m on m.id = r.deployment_id
      join resource_type_registrations g on g.deployment_id = m.id and g.type_id = r.type_id
      join installed_runs i on i.deployment_id = m.id and i.task_id = m.revision_id
      join deployment_tasks revision on revision.id = m.revision_id
      join helm_chart_projection c on c.id = revision.run_chart_id
      join k8s_cluster_projection k on k.id = m.installed_cluster_id and not k.deleted
      where ${pending} and r.due_at <= clock_timestamp() and m.installed_namespace is not null
      order by r.id
      for no key update of r skip locked
    `);
  },
});

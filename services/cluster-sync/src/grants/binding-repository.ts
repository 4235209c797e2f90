import { GrantScope } from '@berth/contracts/resources/clusters/cluster-role-grants';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

/** The record of a binding in a cluster, made before the binding itself. */
export const GrantedBinding = z.object({
  /** Part of the name of the binding. */
  id: z.uuid(),
  deployment_id: z.uuid(),
  namespace: z.string(),
  cluster_role: z.string(),
  scope: GrantScope,
});
export type GrantedBinding = z.infer<typeof GrantedBinding>;

export interface BindingPlace {
  readonly clusterId: string;
  readonly namespace: string;
  readonly deploymentId: string;
}

const binding = sql.type(GrantedBinding);
const columns = sql.fragment`id, deployment_id, namespace, cluster_role, scope`;

/** Longer than any call that binds; after this time a withdrawn binding cannot be created again. */
const finalAfterMs = 30_000;
const mostAtOnce = 200;

const isOf = ({ clusterId, namespace, deploymentId }: BindingPlace) => sql.fragment`
  cluster_id = ${clusterId} and namespace = ${namespace} and deployment_id = ${deploymentId} and withdrawn_at is null`;

export const createBindingRepository = (db: Queries) => ({
  /** Records and returns the bindings that the deployment should have in this place, by the env of the cluster. */
  record: (place: BindingPlace & { readonly kindId: string }) =>
    db.transaction(async (tx) => {
      const { clusterId, namespace, deploymentId, kindId } = place;
      await tx.query(statement`
        insert into granted_bindings (cluster_id, deployment_id, namespace, grant_id, cluster_role, scope)
        select c.id, ${deploymentId}, ${namespace}, g.id, g.cluster_role, g.scope
        from cluster_role_grants g join k8s_clusters c on c.env_id = g.env_id
        where c.id = ${clusterId} and g.kind_id = ${kindId}
        on conflict (cluster_id, deployment_id, namespace, grant_id) where withdrawn_at is null do nothing
      `);
      return tx.any(binding`
        select ${columns} from granted_bindings b
        where ${isOf(place)} and exists (select from cluster_role_grants g where g.id = b.grant_id)
        order by cluster_role, scope
      `);
    }),

  /** Records a binding that nothing wants for longer than some seconds. */
  recordBrief: (
    { clusterId, namespace, deploymentId }: BindingPlace,
    { role, seconds }: { role: string; seconds: number },
  ) =>
    db.one(binding`
      insert into granted_bindings (cluster_id, deployment_id, namespace, grant_id, cluster_role, scope, withdrawn_at)
      values (${clusterId}, ${deploymentId}, ${namespace}, gen_random_uuid(), ${role}, 'Namespace',
        clock_timestamp() + ${seconds} * interval '1 second')
      returning ${columns}
    `),

  /** The ClusterRoles granted to deployments of a kind in a cluster, bound or not. */
  grantedTo: (clusterId: string, kindId: string) =>
    db.any(sql.type(GrantedBinding.pick({ cluster_role: true, scope: true }))`
      select distinct g.cluster_role, g.scope from cluster_role_grants g join k8s_clusters c on c.env_id = g.env_id
      where c.id = ${clusterId} and g.kind_id = ${kindId} order by g.cluster_role, g.scope
    `),

  /** Withdraws the bindings of a place that the deployment has left. */
  withdrawFrom: (place: BindingPlace) =>
    db.query(statement`update granted_bindings set withdrawn_at = clock_timestamp() where ${isOf(place)}`),

  /** Whether the binding is on record and not withdrawn. */
  isWanted: (id: string): Promise<boolean> =>
    db.exists(statement`select from granted_bindings where id = ${id} and withdrawn_at is null`),

  withdraw: (id: string) =>
    db.query(statement`
      update granted_bindings set withdrawn_at = clock_timestamp() where id = ${id} and withdrawn_at is null
    `),

  /** Withdraws bindings whose grant was revoked, whose cluster is in another env, or whose namespace the deployment no longer owns. */
  withdrawUnwanted: (clusterId: string) =>
    db.query(statement`
      update granted_bindings b set withdrawn_at = clock_timestamp()
      where b.cluster_id = ${clusterId} and b.withdrawn_at is null and (
        not exists (
          select from cluster_role_grants g join k8s_clusters c on c.env_id = g.env_id
          where g.id = b.grant_id and c.id = b.cluster_id
        )
        or not exists (
          select from deployment_namespaces n
          where n.cluster_id = b.cluster_id and n.name = b.namespace and n.deployment_id = b.deployment_id
        )
      )
    `),

  /** The withdrawn bindings that have to be removed from the cluster now. */
  toRemove: (clusterId: string) =>
    db.any(sql.type(GrantedBinding.extend({ is_final: z.boolean() }))`
      select ${columns}, is_final from granted_bindings,
        lateral (select withdrawn_at < clock_timestamp() - ${finalAfterMs} * interval '1 millisecond' as is_final) s
      where cluster_id = ${clusterId} and withdrawn_at < clock_timestamp() and (is_final or not removed)
      order by withdrawn_at limit ${mostAtOnce}
    `),

  removed: (id: string) => db.query(statement`update granted_bindings set removed = true where id = ${id}`),

  forget: (id: string) =>
    db.query(statement`delete from granted_bindings where id = ${id} and withdrawn_at is not null`),
});
export type BindingRepository = ReturnType<typeof createBindingRepository>;

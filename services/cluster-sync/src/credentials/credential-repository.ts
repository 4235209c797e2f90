import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

/** A deployment that needs credentials in a namespace of a cluster, and the digest of what was last written there. */
const WantedCredentials = z.object({
  deployment_id: z.uuid(),
  namespace: z.string(),
  /** The env of the cluster. */
  env_id: z.uuid(),
  digest: z.string().nullable(),
  /** By the clock of the database; negative if it is due. */
  refresh_in_ms: z.number().nullable(),
});
export type WantedCredentials = z.infer<typeof WantedCredentials>;

const Issued = z.object({ digest: z.string(), expires_at: z.iso.datetime(), refresh_in_ms: z.number() });

const refreshInMs = sql.fragment`(extract(epoch from s.refresh_at - clock_timestamp()) * 1000)::double precision`;

/** Whether the deployment `d` has a namespace at the place where it is wanted, or at another one. */
const isThere = sql.fragment`exists (
  select from deployment_namespaces o where o.deployment_id = d.id and (o.cluster_id, o.name) = (d.cluster_id, d.namespace)
)`;
const isElsewhere = sql.fragment`exists (
  select from deployment_namespaces o where o.deployment_id = d.id and (o.cluster_id, o.name) <> (d.cluster_id, d.namespace)
)`;

export interface IssuedCredentials {
  readonly deployment_id: string;
  readonly cluster_id: string;
  readonly namespace: string;
  readonly digest: string;
  readonly expires_at: string;
  readonly refreshInMs: number;
}

export const createCredentialRepository = (db: Queries) => ({
  /**
   * The wanted credentials of a cluster. While a move waits, the deployment runs at its old place, and its credentials are kept there
   * until that namespace is gone. Writes at an earlier place do not count.
   */
  wantedIn: (clusterId: string) =>
    db.any(sql.type(WantedCredentials)`
      with places as (
        select d.id, d.namespace from deployment_projection d
        where d.cluster_id = ${clusterId} and d.enabled and not d.deleted and (${isThere} or not ${isElsewhere})
        union all
        select d.id, n.name from deployment_namespaces n join deployment_projection d on d.id = n.deployment_id
        where n.cluster_id = ${clusterId} and (n.cluster_id, n.name) <> (d.cluster_id, d.namespace)
          and d.enabled and not d.deleted and not ${isThere}
      )
      select p.id as deployment_id, p.namespace, c.env_id, s.digest, ${refreshInMs} as refresh_in_ms
      from places p
      join k8s_clusters c on c.id = ${clusterId} and c.env_id is not null
      left join service_credentials s
        on s.deployment_id = p.id and s.cluster_id = c.id and s.namespace = p.namespace
    `),

  /** The record of the last write into the namespace, by any replica. */
  issuedIn: (clusterId: string, namespace: string) =>
    db.maybeOne(sql.type(Issued)`
      select s.digest, s.expires_at, ${refreshInMs} as refresh_in_ms
      from service_credentials s where s.cluster_id = ${clusterId} and s.namespace = ${namespace}
      order by s.issued_at desc limit 1
    `),

  record: (issued: IssuedCredentials) =>
    db.one(sql.type(z.object({ upstream: z.boolean() }))`
      insert into service_credentials as s (deployment_id, cluster_id, namespace, digest, issued_at, expires_at, refresh_at)
      values (${issued.deployment_id}, ${issued.cluster_id}, ${issued.namespace}, ${issued.digest}, clock_timestamp(),
        ${issued.expires_at}, clock_timestamp() + ${issued.refreshInMs} * interval '1 millisecond')
      on conflict (deployment_id) do update set cluster_id = excluded.cluster_id, namespace = excluded.namespace,
        digest = excluded.digest, issued_at = excluded.issued_at, expires_at = excluded.expires_at,
        refresh_at = excluded.refresh_at,
        upstream = s.upstream and (s.cluster_id, s.namespace) = (excluded.cluster_id, excluded.namespace)
      returning s.upstream
    `),

  /** Whether the Secret with the upstream name is refreshed as well. */
  keepUpstream: async (
    { deploymentId, clusterId, namespace }: { deploymentId: string; clusterId: string; namespace: string },
    keeps: boolean,
  ): Promise<void> => {
    await db.query(statement`
      update service_credentials set upstream = ${keeps}
      where deployment_id = ${deploymentId} and cluster_id = ${clusterId} and namespace = ${namespace}
    `);
  },

  forget: async (deploymentId: string): Promise<void> => {
    await db.query(statement`delete from service_credentials where deployment_id = ${deploymentId}`);
  },
});
export type CredentialRepository = ReturnType<typeof createCredentialRepository>;

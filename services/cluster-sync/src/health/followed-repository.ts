import type { Queries } from '@berth/db/database';
import type { Lease } from '@berth/db/leases/lease';
import { statement } from '@berth/db/statement';

export const createFollowedRepository = (db: Queries) => ({
  /** Without the lease of the cluster it changes nothing: another replica watches it. */
  save: ({ name, holder, fence }: Lease, clusterId: string, followed: boolean) =>
    db.query(statement`
      update k8s_clusters c set followed = ${followed}
      from leases l
      where c.id = ${clusterId} and l.name = ${name} and l.holder = ${holder} and l.fence = ${fence}
        and c.followed <> ${followed} and (not ${followed} or not c.ignore)
    `),
});

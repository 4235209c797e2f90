import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const counted = sql.type(z.object({ count: z.number().int() }));
const ofReplicas = sql.fragment`name like 'replica %'`;

/** The replica holds the lease of this name while it counts. */
export const leaseNameOfReplica = (holder: string): string => `replica ${holder}`;

export const createReplicaRepository = (db: Queries) => ({
  /** The replicas whose leases have not ended. */
  count: async (): Promise<number> =>
    (
      await db.one(counted`
        select count(*)::integer as count from leases where ${ofReplicas} and until > clock_timestamp()
      `)
    ).count,

  /** Each replica has a name of its own, so these leases are never acquired again. */
  removeEnded: () =>
    db.query(statement`
      delete from leases where ${ofReplicas} and until < clock_timestamp() - interval '1 hour'
    `),
});

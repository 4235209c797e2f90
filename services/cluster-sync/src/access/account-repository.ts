import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const used = sql.type(z.object({ is_new: z.boolean() }));
const at = sql.type(z.object({ used_at: z.string() }));
const unused = sql.type(z.object({ deployment_id: z.uuid(), used_at: z.string() }));

export const createAccountRepository = (db: Queries) => ({
  /** Records the account and its use; call it before creating the account. True if there was no record yet. */
  use: async (clusterId: string, deploymentId: string): Promise<boolean> => {
    const { is_new } = await db.one(used`
      insert into deployment_accounts as a (cluster_id, deployment_id) values (${clusterId}, ${deploymentId})
      on conflict (cluster_id, deployment_id) do update set used_at = now() returning a.xmax = 0 as is_new
    `);
    return is_new;
  },

  /** Accounts whose deployment has no namespace in the cluster, and that claims have not used for a while. */
  unusedIn: (clusterId: string, forMs: number) =>
    db.any(unused`
      select deployment_id, used_at::text from deployment_accounts a
      where cluster_id = ${clusterId} and used_at < now() - ${forMs} * interval '1 millisecond' and not exists (
        select 1 from deployment_namespaces n where n.cluster_id = a.cluster_id and n.deployment_id = a.deployment_id
          and n.uid is not null
      )
      order by used_at limit 100
    `),

  /** When the account was last used; null without a record. */
  usedAt: (clusterId: string, deploymentId: string): Promise<string | null> =>
    db.maybeOneFirst(at`
      select used_at::text from deployment_accounts where cluster_id = ${clusterId} and deployment_id = ${deploymentId}
    `),

  /** Removes the record unless the account was used again. */
  remove: async (clusterId: string, deploymentId: string, usedAt: string): Promise<void> => {
    await db.query(statement`
      delete from deployment_accounts
      where cluster_id = ${clusterId} and deployment_id = ${deploymentId} and used_at = ${usedAt}::timestamptz
    `);
  },
});
export type AccountRepository = ReturnType<typeof createAccountRepository>;

import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { type Holder, waitMsOf } from '@berth/bus/identity-leases/awaited-gateways';
import { sql } from 'slonik';
import { z } from 'zod';

const lease = sql.type(z.strictObject({ gateway: z.string(), renewal: z.string(), lease_ms: z.number() }));

/** Far more gateways than anybody runs. A broken one could otherwise make every change wait for an endless list. */
const maxHolders = 1_000;

export const createIdentityLeaseRepository = (db: Queries) => ({
  /**
   * A gateway whose lease becomes shorter may still reuse identities under the longer one, so the latest end is kept. The new
   * `renewal` keeps `removeEnded` from removing a lease that was renewed meanwhile. False if there are too many leases.
   */
  renew: async (gateway: string, leaseMs: number): Promise<boolean> => {
    const { rowCount } = await db.query(statement`
      insert into identity_leases as held (gateway, lease_ms)
      select ${gateway}, ${leaseMs}::int
      where exists (select from identity_leases where gateway = ${gateway})
        or (select count(*) from identity_leases) < ${maxHolders}
      on conflict (gateway) do update
        set renewal = gen_random_uuid(), lease_ms = greatest(held.lease_ms, excluded.lease_ms)
    `);
    return rowCount === 1;
  },

  release: async (gateway: string): Promise<void> => {
    await db.query(statement`delete from identity_leases where gateway = ${gateway}`);
  },

  holders: async (): Promise<Holder[]> => {
    const rows = await db.any(lease`select gateway, renewal, lease_ms from identity_leases`);
    return rows.map(({ gateway, renewal, lease_ms }) => ({ gateway, renewal, waitMs: waitMsOf(lease_ms) }));
  },

  /** Removes leases that have ended, except those renewed since they were read. */
  removeEnded: async (ended: readonly Pick<Holder, 'gateway' | 'renewal'>[]): Promise<void> => {
    await db.query(statement`
      delete from identity_leases held
      using unnest(
        ${sql.array(
          ended.map(({ gateway }) => gateway),
          'text',
        )},
        ${sql.array(
          ended.map(({ renewal }) => renewal),
          'uuid',
        )}
      ) as ended (gateway, renewal)
      where held.gateway = ended.gateway and held.renewal = ended.renewal
    `);
  },
});

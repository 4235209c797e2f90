import type { Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';

/** Where the objects of a deployment are: it may be about to leave one namespace for another. */
export interface HealthPlace {
  readonly cluster_id: string;
  readonly namespace: string;
  readonly deployment_id: string;
}

/** Runs in the transaction that changes rows, so that no change is missed, whichever process is killed at any time. */
export async function markForRollUp(tx: Transaction, places: readonly HealthPlace[]): Promise<void> {
  if (places.length === 0) return;
  const rows = places.map(({ cluster_id, namespace, deployment_id }) => ({ cluster_id, namespace, deployment_id }));
  await tx.query(statement`
    insert into health_roll_ups as h (cluster_id, namespace, deployment_id, due_at)
    select cluster_id, namespace, deployment_id, clock_timestamp()
    from (
      select distinct cluster_id, namespace, deployment_id
      from jsonb_to_recordset(${sql.jsonb(rows)}) as r(cluster_id uuid, namespace text, deployment_id uuid)
    ) as changed
    order by 1, 2, 3
    on conflict (cluster_id, namespace, deployment_id) do update set due_at = least(h.due_at, excluded.due_at)
  `);
}

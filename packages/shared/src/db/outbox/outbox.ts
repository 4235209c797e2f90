import { sql } from 'slonik';
import { z } from 'zod';
import { eventRow, isCopied } from '../../bus/state/event-row.ts';
import type { StateOperation } from '../../bus/state/publish-state.ts';
import type { Resource } from '../../contracts/definition/contract.ts';
import { currentTraceparent } from '../../service/trace-context.ts';
import type { Transaction } from '../database.ts';
import { wakeRelays } from './relay-wake-up.ts';

export interface StateChange {
  id: string;
  env_id: string | null;
  operation: StateOperation;
  /** The public row as the contract's `state` has it; of a deleted one, its last. */
  row: object;
}

type Followed = Pick<Resource, 'name' | 'state'>;

const nothing = sql.type(z.object({}));

/** Records a change for the followers of a resource, in the transaction that makes it. */
export const recordState = (tx: Transaction, resource: Followed, change: StateChange): Promise<void> =>
  recordStates(tx, resource, [change]);

/** The same for several rows of a resource in one statement; each id once. */
export async function recordStates(
  tx: Transaction,
  resource: Followed,
  changes: readonly StateChange[],
): Promise<void> {
  tx.noteRecorded('outbox', resource.name);
  if (changes.length === 0) return;
  const traceparent = currentTraceparent();
  const records = changes.map((change) => ({ ...change, row: publicRow(resource, change.row) }));

  // The version is taken in the update, so under the lock of the outbox row: of two changes the later one has the higher
  // one. A row that was never published stays an INSERT, however often it changed. Rows are ordered by id, so that two
  // transactions cannot deadlock.
  await tx.query(nothing`
    insert into outbox (resource, id, version, env_id, operation, row, traceparent)
    select ${resource.name}, c.id, next_outbox_version(), c.env_id, c.operation, c.row, ${traceparent}
    from jsonb_to_recordset(${sql.jsonb(records)}) as c(id uuid, env_id uuid, operation text, row jsonb)
    order by c.id
    on conflict (resource, id) do update set
      version = greatest(outbox.version + 1, next_outbox_version()),
      env_id = excluded.env_id,
      operation = case
        when outbox.published_version is null and outbox.operation = 'INSERT' and excluded.operation = 'UPDATE' then 'INSERT'
        else excluded.operation
      end,
      row = excluded.row,
      traceparent = excluded.traceparent,
      changed_at = clock_timestamp()
  `);
  tx.afterCommit(wakeRelays);
}

/** Refuses fields that the contract does not publish: an extra column could leak a secret to all followers. */
function publicRow(resource: Followed, row: object): Record<string, unknown> {
  const { name, state } = resource;
  if (state === undefined) throw new Error(`${name} cannot be published: its contract has no state`);
  const { row: whole, published } = state;
  const shown = published ? z.object(published.shape).parse(whole.partial().parse(row)) : whole.parse(row);
  return isCopied(resource) ? shown : eventRow(resource, shown);
}

import { Bug } from '@berth/contracts/errors';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { eventRow, isCopied } from '@berth/bus/state/event-row';
import type { StateOperation } from '@berth/bus/state/publish-state';
import type { Resource } from '@berth/contracts/definition/contract';
import { currentTraceparent } from '@berth/service/trace-context';
import type { Queries, Transaction } from '../database.ts';
import { statement } from '../statement.ts';
import { wakeRelays } from './relay-wake-up.ts';

export interface StateChange {
  id: string;
  env_id: string | null;
  operation: StateOperation;
  /** The public row with the fields of the contract's `state`; for a deleted row, its last state. */
  row: object;
}

type Followed = Pick<Resource, 'name' | 'state'>;

/** Records a change for followers of the resource, in the transaction of the change. */
export const recordState = (tx: Transaction, resource: Followed, change: StateChange): void =>
  recordStates(tx, resource, [change]);

/** The same for several rows. A row that changes several times in a transaction is published once, in its last state. */
export function recordStates(tx: Transaction, resource: Followed, changes: readonly StateChange[]): void {
  const traceparent = currentTraceparent();
  const { name } = resource;
  tx.recorded.publish(
    name,
    changes.map((change) => ({ ...change, resource: name, row: publicRow(resource, change.row), traceparent })),
  );
}

/**
 * One statement at the end of every transaction. Rows are published in the order in which they were recorded, but every
 * transaction locks them in the order of resource and id. Only one transaction at a time can insert a new row.
 */
export async function writeOutbox(tx: Transaction): Promise<void> {
  const rows = tx.recorded.takeRows().map((row, place) => ({ ...row, place }));
  if (rows.length === 0) return;
  await tx.query(statement`
    with changed as materialized (
      select * from jsonb_to_recordset(${sql.jsonb(rows)})
        as c(place int, resource text, id uuid, env_id uuid, operation text, row jsonb, traceparent text)
    ),
    locked as materialized (
      select o.id from outbox o join changed c on o.resource = c.resource and o.id = c.id
      order by o.resource, o.id for update of o
    )
    ${insertInto}
    select c.resource, c.id, next_outbox_version(), c.env_id, c.operation, c.row, c.traceparent
    from changed c where (select count(*) from locked) >= 0
    order by c.place
    ${orReplace}
  `);
  tx.afterCommit(wakeRelays);
}

/**
 * Changes one row and records the change, in a single statement without a transaction: for changes that a user waits for.
 * `change` returns at least id and env_id; `row` is the public row, which the change leaves as it is.
 */
export async function changeAndRecord<Row>(
  db: Queries,
  { resource, change, row, returns }: ChangeAndRecord<Row>,
): Promise<Row | null> {
  const changed = await db.maybeOne(sql.type(returns)`
    with changed as (${change}), recorded as (
      ${insertInto}
      select ${resource.name}, id, next_outbox_version(), env_id, 'UPDATE', ${sql.jsonb(publicRow(resource, row))}, ${currentTraceparent()}
      from changed
      ${orReplace}
    )
    select * from changed
  `);
  if (changed) wakeRelays();
  return changed;
}

interface ChangeAndRecord<Row> {
  resource: Followed;
  change: FragmentSqlToken;
  row: object;
  returns: z.ZodType<Row>;
}

// The version is taken under the lock of the outbox row, so the later of two changes has the higher version. A row that was never
// published stays an INSERT.
const insertInto = sql.fragment`insert into outbox (resource, id, version, env_id, operation, row, traceparent)`;
const orReplace = sql.fragment`
  on conflict (resource, id) do update set
    version = greatest(outbox.version + 1, next_outbox_version()),
    env_id = excluded.env_id,
    operation = case
      when outbox.published_version is null and outbox.operation = 'INSERT' and excluded.operation = 'UPDATE' then 'INSERT'
      else excluded.operation
    end,
    row = excluded.row,
    traceparent = excluded.traceparent,
    changed_at = clock_timestamp()`;

/** Refuses fields that the contract does not publish: an additional column could leak a secret to all followers. */
function publicRow(resource: Followed, row: object): Record<string, unknown> {
  const { name, state } = resource;
  if (state === undefined) throw new Bug(`${name} cannot be published: its contract has no state`);
  const { row: whole, published } = state;
  const shown = published ? z.object(published.shape).parse(whole.partial().parse(row)) : whole.parse(row);
  return isCopied(resource) ? shown : eventRow(resource, shown);
}

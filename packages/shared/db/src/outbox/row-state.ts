import { sql } from 'slonik';
import type { z } from 'zod';
import type { Resource } from '@berth/contracts/definition/contract';
import type { rowState } from '@berth/contracts/fields/row-state';
import type { Queries } from '../database.ts';

/**
 * The last state of a row, as `recordState` wrote it in the transaction of the change. For services that must not decide by a
 * projection, which lags. Null if the row never existed or was deleted long ago. `state` is made by `rowState`.
 */
export const rowStateNow = <State extends ReturnType<typeof rowState>>(
  db: Queries,
  { name }: Pick<Resource, 'name'>,
  state: State,
  id: string,
): Promise<z.output<State> | null> =>
  db.maybeOne(sql.type(state)`
    select version, operation, env_id, row from outbox where resource = ${name} and id = ${id}
  `);

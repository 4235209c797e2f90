import type { InTurn } from '@berth/service/waiting/at-most';
import type { Queries } from '../database.ts';

/**
 * The same queries, each of which waits for its turn before it takes a connection. For work that comes in hundreds: it would
 * take all connections, and what waits for one does not wait long.
 */
export const queriesInTurn = (db: Queries, inTurn: InTurn): Queries => ({
  any: (query) => inTurn(() => db.any(query)),
  anyFirst: (query) => inTurn(() => db.anyFirst(query)),
  exists: (query) => inTurn(() => db.exists(query)),
  many: (query) => inTurn(() => db.many(query)),
  maybeOne: (query) => inTurn(() => db.maybeOne(query)),
  maybeOneFirst: (query) => inTurn(() => db.maybeOneFirst(query)),
  one: (query) => inTurn(() => db.one(query)),
  oneFirst: (query) => inTurn(() => db.oneFirst(query)),
  query: (query) => inTurn(() => db.query(query)),
  transaction: (work) => inTurn(() => db.transaction(work)),
});

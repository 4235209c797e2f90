import type { InTurn } from '@berth/service/waiting/at-most';
import type { Queries } from '../database.ts';

/**
 * The same queries, which take turns before they take a connection. For work that comes in hundreds: it would use up the
 * connections, and others wait only a short time for one.
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

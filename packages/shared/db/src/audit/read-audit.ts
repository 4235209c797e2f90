import { sql } from 'slonik';
import { z } from 'zod';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { AuditEvent, AuditQuery } from '@berth/contracts/resources/audit/audit-events';
import { JsonObject } from '@berth/contracts/fields/json';
import type { Queries } from '../database.ts';
import { type Condition, equals, inEnvs } from '../lists/list-filters.ts';
import { decodeCursor } from '../lists/list-cursor.ts';
import { timeOf } from '../lists/time-of-cursor.ts';
import { withinBounds } from './audit-log.ts';

const Row = z.strictObject({
  id: z.uuid(),
  at: z.string(),
  actor_kind: z.enum(['user', 'bot', 'deployment']).nullable(),
  actor_id: z.uuid().nullable(),
  token_id: z.uuid().nullable(),
  action: z.string(),
  resource: z.string(),
  object_id: z.uuid().nullable(),
  env_id: z.uuid().nullable(),
  result: z.enum(['done', 'denied']),
  times: z.number().int(),
  compares: z.boolean(),
  details: JsonObject,
  request_id: z.string().nullable(),
});
type Row = z.infer<typeof Row>;

export interface ReadAudit {
  visible: VisibleEnvs;
  query: AuditQuery;
  id?: string | undefined;
}

/** Larger than any event written now: only events from before the limit are cut. A hundred of these fit into a message. */
const mostBytesRead = 24 * 1024;

export const auditPageSize = ({ per_page = 50 }: AuditQuery): number => per_page;

/** Events that this service stores, newest first: one more than the page holds, to show whether there are more. */
export async function readAudit(
  db: Pick<Queries, 'any'>,
  service: AuditEvent['service'],
  { visible, query, id }: ReadAudit,
): Promise<AuditEvent[]> {
  const { actor_id, token_id, resource, object_id, env_id, operation, result, from, to } = query;
  const where: Condition[] = [
    inEnvs(sql.fragment`env_id`, visible, env_id),
    equals(sql.fragment`event_id`, id),
    equals(sql.fragment`actor_id`, actor_id),
    equals(sql.fragment`token_id`, token_id),
    equals(sql.fragment`resource`, resource),
    equals(sql.fragment`object_id`, object_id),
    equals(sql.fragment`action`, operation),
    equals(sql.fragment`result`, result),
    from === undefined ? undefined : sql.fragment`at >= ${from}::timestamptz`,
    to === undefined ? undefined : sql.fragment`at < ${to}::timestamptz`,
    olderThan(query.before),
  ];
  const rows = await db.any(sql.type(Row)`
    select event_id as id, at, actor_kind, actor_id, token_id, action, resource, object_id, env_id, result, times, compares,
      details, request_id
    from audit_log where ${sql.and(where)}
    order by at desc, event_id desc
    limit ${auditPageSize(query) + 1}
  `);
  return rows.map((row) => eventOf(service, row));
}

function olderThan(before: string | undefined): Condition {
  const cursor = decodeCursor(before ?? '', 'before');
  return cursor === null ? undefined : sql.fragment`(at, event_id) < (${timeOf(cursor)}, ${cursor.id})`;
}

function eventOf(service: AuditEvent['service'], row: Row): AuditEvent {
  const { actor_kind, actor_id, token_id, action, resource, object_id, compares, ...rest } = row;
  const details = withinBounds(row.details, mostBytesRead);
  const side = (index: 0 | 1) =>
    compares
      ? Object.fromEntries(
          Object.entries(details).map(([name, pair]) => [name, Array.isArray(pair) ? (pair[index] ?? null) : null]),
        )
      : null;
  return {
    ...rest,
    service,
    actor: actor_kind === null || actor_id === null ? null : { kind: actor_kind, id: actor_id, token_id },
    operation: action,
    object: { resource, id: object_id },
    before: side(0),
    after: side(1),
    details: compares ? {} : details,
  };
}

import { sql } from 'slonik';
import { z } from 'zod';
import type { Queries } from '@berth/db/database';

const line = sql.type(
  z.object({
    actor_kind: z.string().nullable(),
    actor_id: z.string().nullable(),
    action: z.string(),
    resource: z.string(),
    env_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string().nullable(),
  }),
);

/** The audit events of one object, oldest first. */
export const audited = (db: Pick<Queries, 'any'>, objectId: string) =>
  db.any(line`
    select actor_kind, actor_id, action, resource, env_id, details, request_id
    from audit_log where object_id = ${objectId} and result = 'done' order by id
  `);

/** The operations that have a denied attempt in the audit log. */
export const deniedIn = (db: Pick<Queries, 'any'>) =>
  db.any(sql.type(z.object({ resource: z.string(), action: z.string() }))`
    select distinct resource, action from audit_log where result = 'denied'
  `);

import type { Transaction } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import type { AuditEntry } from './audit-entry.ts';

const nothing = sql.type(z.object({}));

/** In the transaction of what it tells about: neither is there without the other. */
export const createAuditRepository = (tx: Pick<Transaction, 'query'>) => ({
  append: async ({ by, action, resource, objectId, envId, details }: AuditEntry): Promise<void> => {
    await tx.query(nothing`
      insert into audit_log (actor_kind, actor_id, action, resource, object_id, env_id, details, request_id)
      values (
        ${by.identity?.kind ?? null}, ${by.identity?.id ?? null}, ${action}, ${resource}, ${objectId}, ${envId},
        ${sql.jsonb(details)}, ${by.requestId}
      )
    `);
  },
});
export type AuditRepository = ReturnType<typeof createAuditRepository>;

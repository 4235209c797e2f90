import type { AuditEvent, auditOfTasks } from '@berth/contracts/resources/audit/audit-events';
import { implement } from '@berth/bus/rpc/implement';
import type { Queries } from '../database.ts';
import { readAudit } from './read-audit.ts';

/** These operations differ only in their owner. */
type AuditPart = typeof auditOfTasks;

/** Answers `auth` with the events that this service stores. */
export const auditHandlers = (db: Pick<Queries, 'any'>, service: AuditEvent['service'], part: AuditPart) =>
  implement(part, {
    read: async ({ body }) => ({ events: await readAudit(db, service, body) }),
  });

import type { Identity } from '@berth/contracts/access/identity';
import { auditedEnvs } from '@berth/contracts/access/rules';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import {
  type AuditEvent,
  auditEvents,
  auditOfClusterSync,
  auditOfRegistryScan,
  auditOfTasks,
} from '@berth/contracts/resources/audit/audit-events';
import { auditPageSize, type ReadAudit, readAudit } from '@berth/db/audit/read-audit';
import type { Queries } from '@berth/db/database';
import { encodeCursor } from '@berth/db/lists/list-cursor';
import { found } from '@berth/contracts/errors';

interface AuditDeps {
  db: Pick<Queries, 'any'>;
  bus: Pick<Bus, 'call'>;
}

const others = [auditOfTasks, auditOfClusterSync, auditOfRegistryScan];

/** Site admins see all events, env admins those of their envs. */
const visibleTo = (identity: Identity): ReadAudit['visible'] =>
  identity.kind === 'user' && identity.is_admin ? 'all' : auditedEnvs(identity);

/** Newest first; ids break ties. */
const isNewer = (a: AuditEvent, b: AuditEvent): number =>
  Number(a.at < b.at) - Number(a.at > b.at) || Number(a.id < b.id) - Number(a.id > b.id);

/** Each service keeps the events of its own changes. If one does not answer, the request fails: the page would have gaps. */
export const auditEventHandlers = ({ db, bus }: AuditDeps) => {
  async function read(
    request: ReadAudit,
    { requestId, signal }: Pick<HandlerContext, 'requestId' | 'signal'>,
  ): Promise<AuditEvent[]> {
    const { visible, query, id } = request;
    const body = { visible: visible === 'all' ? visible : [...visible], query, ...(id !== undefined && { id }) };
    const parts = await Promise.all([
      readAudit(db, 'auth', request),
      ...others.map(async (part) => (await bus.call(part.operations.read, { body }, { requestId, signal })).events),
    ]);
    return parts.flat().sort(isNewer);
  }

  return implement(auditEvents, {
    list: async ({ query }, context) => {
      const events = await read({ visible: visibleTo(context.identity), query }, context);
      const items = events.slice(0, auditPageSize(query));
      const last = events.length > items.length ? items.at(-1) : undefined;
      return { items, next: last ? encodeCursor({ micros: `${Date.parse(last.at)}000`, id: last.id }) : null };
    },

    // One page of the gateway's export.
    export: async ({ query }, context) => {
      const events = await read({ visible: visibleTo(context.identity), query }, context);
      return events
        .slice(0, auditPageSize(query))
        .map((event) => `${JSON.stringify(event)}\n`)
        .join('');
    },

    get: async ({ id }, context) =>
      found((await read({ visible: visibleTo(context.identity), query: {}, id }, context))[0] ?? null, 'audit event'),
  });
};

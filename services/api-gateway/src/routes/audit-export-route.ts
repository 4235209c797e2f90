import type { Bus } from '@berth/bus/bus';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { type AuditQuery, auditEvents } from '@berth/contracts/resources/audit/audit-events';
import type { FastifyInstance } from 'fastify';
import { eventsPerPage, exportAuditEvents, type ExportLimits } from './export-audit-events.ts';
import { requestReader } from './request-reader.ts';
import type { RouteDeps } from './routes-from-contracts.ts';
import { createStreamSlots, type StreamLimits } from './stream-slots.ts';
import { sendTextStream } from './text-stream.ts';

export interface AuditExportDeps extends Pick<RouteDeps, 'authenticate' | 'requireCredential'> {
  bus: Pick<Bus, 'call'>;
  auditExports?: StreamLimits & ExportLimits;
  slowReaderMs?: number;
}

const { list, export: exported } = auditEvents.operations;
const usualLimits = { total: 20, perIdentity: 2, ms: 60 * 60_000 };
/** A page is merged from four services, each of which reads an index. */
const pageDeadlineMs = 8_000;

/** Serves `GET /audit-events/export`: every event of the list, one per line. */
export function auditExportRoute(app: FastifyInstance, deps: AuditExportDeps): void {
  const { bus, auditExports: limits = usualLimits, slowReaderMs = 30_000 } = deps;
  const takeSlot = createStreamSlots(limits);
  const readRequest = requestReader(exported);
  const contentType = exported.produces;

  app.get(httpRouteOf(exported).path, deps.requireCredential(exported), async (request, reply) => {
    const { query: filters = {} } = readRequest(request) as { query?: AuditQuery };
    const read = (query: AuditQuery, signal?: AbortSignal) =>
      bus.call(
        list,
        { query: { ...filters, ...query } },
        { identityToken: request.identityToken, requestId: request.id, deadlineMs: pageDeadlineMs, signal },
      );
    using slots = new DisposableStack();
    slots.use(takeSlot(request.identity?.id ?? ''));
    // The first page can fail with 403 and the like, before the stream begins.
    const first = await read({ per_page: request.method === 'HEAD' ? 1 : eventsPerPage });
    if (request.method === 'HEAD') return reply.type(contentType).send();

    const options = { contentType, stopping: undefined, slowReaderMs };
    await sendTextStream(request, reply, options, async ({ signal, write }) => {
      const reauthenticate = async () => {
        request.identityToken = (await deps.authenticate(request, list.owner)).identity_token;
      };
      const parts = { read: (query: AuditQuery) => read(query, signal), reauthenticate, limits, signal };
      for await (const lines of exportAuditEvents(first, parts)) await write(lines);
    });
    return reply;
  });
}

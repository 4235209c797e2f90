import type { Bus } from '@berth/bus/bus';
import type { Resource } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { events } from '@berth/contracts/resources/gateway/events';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate } from '../authentication/authenticate.ts';
import type { RequireCredential } from '../authentication/require-credential.ts';
import { requestReader } from './request-reader.ts';
import { createStreamSlots, type StreamLimits } from './stream-slots.ts';
import { sendTextStream } from './text-stream.ts';
import { createEventFeed } from '../events/event-feed.ts';
import { eventStreamMetrics } from '../events/event-stream-metrics.ts';
import { eventsFor } from '../events/events-for.ts';
import { followEvents } from '../events/follow-events.ts';
import { type Position, positionOf } from '../events/position.ts';
import { createSharedIdentities } from '../events/shared-identities.ts';

export interface EventRouteDeps extends Pick<Service, 'log' | 'metrics'> {
  bus: Pick<Bus, 'events' | 'identify'>;
  authenticate: Authenticate;
  requireCredential: RequireCredential;
  resources: readonly Resource[];
  stopping: AbortSignal;
  limits?: StreamLimits;
  slowReaderMs?: number;
  heartbeatMs?: number;
}

const { stream } = events.operations;

/** Serves `GET /events`: the changes of all rows that the caller may see, as server-sent events. */
export function eventRoute(app: FastifyInstance, deps: EventRouteDeps): void {
  const { bus, log, stopping, limits = { total: 1_000, perIdentity: 20 }, slowReaderMs = 30_000, heartbeatMs } = deps;
  const takeSlot = createStreamSlots(limits);
  const shareIdentity = createSharedIdentities(deps);
  const feed = createEventFeed({ reader: bus.events, log, stopping });
  const readRequest = requestReader(stream);
  const metrics = eventStreamMetrics(deps.metrics);

  app.get(httpRouteOf(stream).path, deps.requireCredential(stream), async (request, reply) => {
    const { query } = readRequest(request) as { query: { tables?: string; env_id?: string } };
    const isFor = eventsFor(deps.resources, tablesIn(query.tables, deps.resources), query.env_id);
    if (request.method === 'HEAD') return reply.type('text/event-stream').send();

    using open = new DisposableStack();
    open.use(takeSlot(request.identity?.id ?? ''));
    const identity = open.use(shareIdentity(request));
    let wake = (): void => undefined;
    const member = open.use(await feed.join(() => wake()));
    open.use(metrics.opened());

    const options = { contentType: 'text/event-stream', stopping, slowReaderMs };
    await sendTextStream(request, reply, options, async ({ signal, write }) => {
      const wakeUp = createWakeUp(signal);
      ({ wake } = wakeUp);
      const from = startOf(request) ?? member.end;
      const times = heartbeatMs === undefined ? {} : { heartbeatMs };
      for await (const text of followEvents(from, { feed, identity: identity.now, isFor, wakeUp, signal, ...times }))
        await write(text);
    });
    return reply;
  });
}

/** The position at which the client stopped; undefined if it has just begun. */
function startOf({ headers }: FastifyRequest): Position | undefined {
  const given = headers['last-event-id'];
  return given === undefined || given === '' ? undefined : positionOf(String(given));
}

function tablesIn(tables: string | undefined, resources: readonly Resource[]): ReadonlySet<string> | undefined {
  if (tables === undefined) return undefined;
  const names = tables.split(',');
  const known = resources.filter(({ state }) => state).map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return new Set(names);
  const errors = unknown.map((name) => ({ path: 'query.tables', message: `no such table: ${name}` }));
  throw new AppError('invalid', `query.tables: no such table: ${unknown[0]}`, { errors });
}

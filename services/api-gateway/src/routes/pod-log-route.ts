import type { Bus } from '@berth/bus/bus';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { LogPosition, PodLogQuery } from '@berth/contracts/resources/clusters/pod-log';
import type { FastifyInstance } from 'fastify';
import { followPodLog, type PodLogLimits } from './follow-pod-log.ts';
import { requestReader } from './request-reader.ts';
import type { RouteDeps } from './routes-from-contracts.ts';
import { createStreamSlots, type StreamLimits } from './stream-slots.ts';
import { refuseAtStop, sendTextStream } from './text-stream.ts';

export interface PodLogDeps extends Pick<RouteDeps, 'authenticate' | 'requireCredential'> {
  bus: Pick<Bus, 'call'>;
  stopping: AbortSignal;
  podLogs?: StreamLimits & PodLogLimits;
  slowReaderMs?: number;
  heartbeatMs?: number;
}

const { log, log_part } = k8sResources.operations;
const usualLimits = { total: 100, perIdentity: 5, bytes: 32 * 1024 * 1024, ms: 60 * 60_000 };
/** The owner waits for the cluster within this time. */
const partDeadlineMs = 8_000;

/** Serves `GET /k8s-resources/:id/log`: the log so far, or with `?follow=true` until the pod has ended. */
export function podLogRoute(app: FastifyInstance, deps: PodLogDeps): void {
  const { bus, podLogs: limits = usualLimits, slowReaderMs = 30_000, heartbeatMs } = deps;
  const takeSlot = createStreamSlots(limits);
  const readRequest = requestReader(log);

  app.get(httpRouteOf(log).path, deps.requireCredential(log), async (request, reply) => {
    const { id, query } = readRequest(request) as { id: string; query: unknown };
    const options: PodLogQuery = log.query.parse(query);
    const read = (position: LogPosition | null) =>
      bus.call(
        log_part,
        { body: { ...options, resource_id: id, position } },
        { identityToken: request.identityToken, requestId: request.id, deadlineMs: partDeadlineMs },
      );
    await using slot = new AsyncDisposableStack();
    slot.use(takeSlot(request.identity?.id ?? ''));
    // The first part can fail with 404 and the like, before the stream begins.
    const first = await read(null);
    if (request.method === 'HEAD') return reply.type('text/plain; charset=utf-8').send();

    const follow = options.follow === true;
    const stopping = follow ? deps.stopping : undefined;
    refuseAtStop(stopping);
    const streamOptions = { contentType: 'text/plain; charset=utf-8', stopping, slowReaderMs, heartbeatMs };
    await sendTextStream(request, reply, streamOptions, async ({ signal, write }) => {
      const reauthenticate = async () => {
        request.identityToken = (await deps.authenticate(request, log_part.owner)).identity_token;
      };
      for await (const text of followPodLog(first, { read, reauthenticate, follow, limits, signal })) await write(text);
    });
    return reply;
  });
}

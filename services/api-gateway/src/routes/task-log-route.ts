import type { Bus } from '@berth/bus/bus';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type FollowDeps, followTaskLog, readPart } from './follow-task-log.ts';
import { requestReader } from './request-reader.ts';
import type { RouteDeps } from './routes-from-contracts.ts';
import { createStreamSlots, type StreamLimits } from './stream-slots.ts';
import { refuseAtStop, sendTextStream, type TextStream } from './text-stream.ts';

export interface TaskLogDeps extends Pick<RouteDeps, 'authenticate' | 'requireCredential'> {
  bus: Pick<Bus, 'call' | 'hints'>;
  stopping: AbortSignal;
  limits?: StreamLimits;
  slowReaderMs?: number;
  heartbeatMs?: number;
}

const { log, log_lines } = deploymentTasks.operations;

/** Serves `GET /deployment-tasks/:id/log`: the text so far, or with `?follow=true` until the task has ended. */
export function taskLogRoute(app: FastifyInstance, deps: TaskLogDeps): void {
  const { limits = { total: 500, perIdentity: 20 }, slowReaderMs = 30_000 } = deps;
  const takeSlot = createStreamSlots(limits);
  const readRequest = requestReader(log);

  app.get(httpRouteOf(log).path, deps.requireCredential(log), async (request, reply) => {
    const { id, query } = readRequest(request) as { id: string; query: { follow?: string } };
    const follow = query.follow === 'true';
    const read = reader(deps, request, id);
    await using slot = new AsyncDisposableStack();
    slot.use(takeSlot(request.identity?.id ?? ''));
    // The first read can fail with 404 and the like, before the stream begins.
    const first = await readPart(read, 0);
    if (request.method === 'HEAD') return reply.type('text/plain; charset=utf-8').send();

    const stopping = follow ? deps.stopping : undefined;
    refuseAtStop(stopping);
    const { heartbeatMs } = deps;
    const options = { contentType: 'text/plain; charset=utf-8', stopping, slowReaderMs, heartbeatMs };
    await sendTextStream(request, reply, options, (stream) =>
      sendLog(first, stream, { deps, read, taskId: id, follow, request }),
    );
    return reply;
  });
}

const reader =
  ({ bus }: TaskLogDeps, request: FastifyRequest, taskId: string): FollowDeps['read'] =>
  (from, limit) =>
    bus.call(
      log_lines,
      { body: { task_id: taskId, from, limit } },
      { identityToken: request.identityToken, requestId: request.id },
    );

interface SendLog {
  deps: TaskLogDeps;
  read: FollowDeps['read'];
  taskId: string;
  follow: boolean;
  request: FastifyRequest;
}

async function sendLog(
  first: Awaited<ReturnType<typeof readPart>>,
  { signal, write }: TextStream,
  { deps, read, taskId, follow, request }: SendLog,
): Promise<void> {
  const wakeUp = createWakeUp(signal);
  const reauthenticate = async () => {
    request.identityToken = (await deps.authenticate(request, log_lines.owner)).identity_token;
  };
  if (follow) deps.bus.hints.listen('task_log', wakeUp.wake, { key: taskId, signal });
  for await (const text of followTaskLog(first, { read, reauthenticate, wakeUp, follow, signal })) await write(text);
}

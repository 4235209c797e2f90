import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Bus } from '@berth/shared/bus/bus';
import { httpRouteOf } from '@berth/shared/contracts/http-route';
import { deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import type { LogLine } from '@berth/shared/contracts/resources/runner-tasks';
import { createWakeUp } from '@berth/shared/waiting/wake-up';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireCredential } from '../authentication/require-credential.ts';
import { commonHeaders } from '../http/problems/send-problem.ts';
import { type FollowDeps, followTaskLog, readPart } from './follow-task-log.ts';
import { requestReader } from './request-reader.ts';
import type { RouteDeps } from './routes-from-contracts.ts';
import { createStreamSlots, type StreamLimits } from './stream-slots.ts';

export interface TaskLogDeps extends Omit<RouteDeps, 'signIns'> {
  bus: Pick<Bus, 'call' | 'hints'>;
  /** Aborts when the gateway stops, which ends every open stream. */
  stopping: AbortSignal;
  limits?: StreamLimits;
  /** A reader that receives nothing for this long is cut off. */
  slowReaderMs?: number;
}

const { log, log_lines } = deploymentTasks.operations;

/** Serves `GET /deployment-tasks/:id/log`: the text so far, or with `?follow=true` until the task has ended. */
export function taskLogRoute(app: FastifyInstance, deps: TaskLogDeps): void {
  const { limits = { total: 500, perIdentity: 20 }, slowReaderMs = 30_000 } = deps;
  const takeSlot = createStreamSlots(limits);
  const readRequest = requestReader(log);

  app.get(httpRouteOf(log).path, { onRequest: requireCredential(log, deps.authenticate) }, async (request, reply) => {
    const { id, query } = readRequest(request) as { id: string; query: { follow?: string } };
    const read = reader(deps, request, id);
    await using slot = new AsyncDisposableStack();
    slot.use(takeSlot(request.identity?.id ?? ''));
    // The first read can fail with 404 and the like, before the stream begins.
    const first = await readPart(read, 0);
    if (request.method === 'HEAD') return reply.type('text/plain; charset=utf-8').send();

    startText(request, reply);
    await stream(first, { deps, read, taskId: id, follow: query.follow === 'true', request, reply, slowReaderMs });
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

function startText(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'x-request-id': request.id,
    // Proxies must not buffer the response: new lines would be delayed.
    'x-accel-buffering': 'no',
    ...commonHeaders,
  });
  reply.raw.flushHeaders();
}

interface Stream {
  deps: TaskLogDeps;
  read: FollowDeps['read'];
  taskId: string;
  follow: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
  slowReaderMs: number;
}

async function stream(
  first: Awaited<ReturnType<typeof readPart>>,
  { deps, read, taskId, follow, request, reply: { raw }, slowReaderMs }: Stream,
): Promise<void> {
  const closed = new AbortController();
  const onClose = () => closed.abort();
  raw.once('close', onClose);
  if (raw.destroyed) onClose();
  const signal = AbortSignal.any([closed.signal, deps.stopping]);
  const wakeUp = createWakeUp(signal);

  const reauthenticate = async () => {
    request.identityToken = (await deps.authenticate(request, log_lines.owner)).identity_token;
  };
  try {
    if (follow) deps.bus.hints.listen('task_log', wakeUp.wake, { key: taskId, signal });
    for await (const lines of followTaskLog(first, { read, reauthenticate, wakeUp, follow, signal })) {
      await write(raw, lines, AbortSignal.any([signal, AbortSignal.timeout(slowReaderMs)]));
    }
    raw.end();
  } catch (error) {
    if (!closed.signal.aborted)
      request.log.info({ err: error, request_id: request.id, task_id: taskId }, 'log stream cut short');
    // Cut off, not ended: a reader must not take a part of the log for all of it.
    raw.destroy();
  } finally {
    onClose();
  }
}

/** Waits until the reader has received the lines, so that a slow reader costs one batch of memory. */
async function write(raw: ServerResponse, lines: readonly LogLine[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (lines.length === 0) return;
  const text = lines.map(({ text: line }) => `${line}\n`).join('');
  if (!raw.write(text)) await once(raw, 'drain', { signal });
}

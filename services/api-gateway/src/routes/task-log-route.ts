import { once } from 'node:events';
import type { Bus } from '@berth/shared/bus/bus';
import { deploymentTasks } from '@berth/shared/contracts/deployment-tasks';
import type { LogLine } from '@berth/shared/contracts/runner-tasks';
import { createWakeUp } from '@berth/shared/service/wake-up';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestOf } from './request-of.ts';
import { authenticated, type RouteDeps } from './routes-from-contracts.ts';

export interface TaskLogDeps extends RouteDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  /** Aborts when the gateway stops, which ends every open stream. */
  stopping: AbortSignal;
}

const { log, log_lines } = deploymentTasks.operations;
const batch = 500;
/** How long a follower waits for a hint before it looks by itself: hints may be lost. */
const lookAgainMs = 1_000;
/** The identity behind a stream is read anew this often, so that whoever lost the right to see it is cut off. */
const reauthenticateMs = 1_000;

/** `GET /deployment-tasks/:id/log`: the text so far, or with `?follow=true` until the task has ended. */
export function taskLogRoute(app: FastifyInstance, deps: TaskLogDeps): void {
  app.get('/api/v2/deployment-tasks/:id/log', { onRequest: authenticated(log, deps) }, async (request, reply) => {
    const { id, query } = requestOf(log, request) as { id: string; query: { follow?: string } };
    const lines = reader(deps, request, id);
    // The first read answers 404 and the like before the stream begins.
    const first = await lines(0);

    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': request.id,
    });
    await stream(first, { deps, lines, taskId: id, follow: query.follow === 'true', request, reply });
  });
}

type Lines = Awaited<ReturnType<ReturnType<typeof reader>>>;

const reader =
  ({ bus }: TaskLogDeps, request: FastifyRequest, taskId: string) =>
  (from: number) =>
    bus.call(
      log_lines,
      { body: { task_id: taskId, from, limit: batch } },
      {
        identityToken: request.identityToken,
        requestId: request.id,
      },
    );

interface Stream {
  deps: TaskLogDeps;
  lines: ReturnType<typeof reader>;
  taskId: string;
  follow: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
}

async function stream(first: Lines, { deps, lines, taskId, follow, request, reply }: Stream): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, deps.stopping]);
  const news = createWakeUp(signal);
  deps.bus.hints.listen('task_log', news.wake, { key: taskId, signal });
  let readAs = performance.now();
  try {
    for (let part = first; ; part = await lines(part.next)) {
      if (!(await write(reply, part.lines, signal))) return;
      const complete = part.lines.length < batch;
      if (complete && (part.finished || !follow)) return;
      if (complete) await news.wait(lookAgainMs);
      if (signal.aborted) return;
      if (performance.now() - readAs > reauthenticateMs) {
        request.identityToken = await deps.authenticate(request);
        readAs = performance.now();
      }
    }
  } catch (error) {
    // The status line is out: all that is left to say is that the stream ends here.
    request.log.info({ err: error, taskId }, 'log stream cut short');
  } finally {
    gone.abort();
    reply.raw.end();
  }
}

/** Waits for the socket to drain, so that a slow reader costs one batch of memory. False: the reader is gone. */
async function write(reply: FastifyReply, lines: readonly LogLine[], signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (lines.length === 0) return true;
  const text = lines.map(({ text: line }) => `${line}\n`).join('');
  if (!reply.raw.write(text)) await once(reply.raw, 'drain', { signal }).catch(() => undefined);
  return !signal.aborted;
}

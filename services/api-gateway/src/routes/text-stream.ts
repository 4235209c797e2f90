import { once } from 'node:events';
import { AppError } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginStream } from '../http/connections/one-at-a-time.ts';
import { chargeStreamed } from '../limits/charge-usage.ts';

export interface TextStreamOptions {
  contentType: string;
  /** Aborts when the gateway stops. Undefined for a stream that ends by itself: it gets the grace of a request in flight. */
  stopping: AbortSignal | undefined;
  /** A client that does not read for this long is cut off. */
  slowReaderMs: number;
  /** A followed text that is quiet for this long gets an empty line, since proxies cut off connections that are silent. */
  heartbeatMs?: number | undefined;
}

const usualHeartbeatMs = 15_000;

export interface TextStream {
  /** Aborts when the client is gone or the stream must end. */
  readonly signal: AbortSignal;
  /** Waits until the client has received the text, so that a slow client costs the memory of one part. */
  write(text: string): Promise<void>;
}

/**
 * Refuses a stream that would be cut off at once, so that its client tries another gateway. Not for events: a browser's
 * `EventSource` reconnects after a stream is cut off but gives up after a refusal.
 */
export function refuseAtStop(stopping: AbortSignal | undefined): void {
  if (stopping?.aborted)
    throw new AppError('unavailable', 'This gateway is stopping; try again', { retryAfterSeconds: 1 });
}

/**
 * Answers with a text that `send` writes part by part. If `send` fails, the connection is cut off instead of ended, so that the
 * client does not mistake a part for the whole.
 */
export async function sendTextStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, stopping, slowReaderMs, heartbeatMs = usualHeartbeatMs }: TextStreamOptions,
  send: (stream: TextStream) => Promise<void>,
): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  beginStream(raw);
  // Headers that hooks have added would be lost, since the reply is hijacked.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': contentType,
    // Proxies must not buffer the response: new parts would be delayed.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();

  const closed = new AbortController();
  const onClose = () => closed.abort();
  raw.once('close', onClose);
  if (raw.destroyed) onClose();
  const signal = stopping ? AbortSignal.any([closed.signal, stopping]) : closed.signal;

  let writtenAt = performance.now();
  let isAtLineStart = true;
  const write = async (text: string): Promise<void> => {
    signal.throwIfAborted();
    chargeStreamed(request, text.length);
    if (text === '') return;
    writtenAt = performance.now();
    isAtLineStart = text.endsWith('\n');
    if (raw.write(text)) return;
    await once(raw, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(slowReaderMs)]) });
  };
  async function beat(): Promise<void> {
    while (!signal.aborted) {
      await pause(writtenAt + heartbeatMs - performance.now(), signal);
      if (signal.aborted || performance.now() < writtenAt + heartbeatMs) continue;
      writtenAt = performance.now();
      // Within a line it would change the text.
      if (isAtLineStart && !raw.writableNeedDrain) raw.write('\n');
    }
  }
  const beating = stopping ? beat() : undefined;
  try {
    await send({ signal, write });
    raw.end();
  } catch (error) {
    if (!closed.signal.aborted)
      request.log.info({ err: error, request_id: request.id, route: request.routeOptions.url }, 'stream cut short');
    raw.destroy();
  } finally {
    onClose();
    await beating;
  }
}

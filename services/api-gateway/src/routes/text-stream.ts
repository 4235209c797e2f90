import { once } from 'node:events';
import { AppError } from '@berth/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginStream } from '../http/connections/one-at-a-time.ts';

export interface TextStreamOptions {
  contentType: string;
  /** Aborts when the gateway stops, for a stream that has no end of its own; any other has the time that requests in flight have. */
  stopping: AbortSignal | undefined;
  /** A reader that receives nothing for this long is cut off. */
  slowReaderMs: number;
}

export interface TextStream {
  /** Aborts when the client is gone, or the stream has to end. */
  readonly signal: AbortSignal;
  /** Waits until the client has received it, so that a slow client costs one part of memory. */
  write(text: string): Promise<void>;
}

/**
 * Refuses a stream that would be cut off at once, so that its client tries another gateway. Not for events: a browser's `EventSource`
 * connects again after a stream that is cut off, and gives up after a refusal.
 */
export function refuseAtStop(stopping: AbortSignal | undefined): void {
  if (stopping?.aborted)
    throw new AppError('unavailable', 'This gateway is stopping; try again', { retryAfterSeconds: 1 });
}

/**
 * Answers with a text that `send` writes part by part. Where `send` fails the connection is cut off, not ended: a client
 * must not take a part for all of it.
 */
export async function sendTextStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, stopping, slowReaderMs }: TextStreamOptions,
  send: (stream: TextStream) => Promise<void>,
): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  beginStream(raw);
  // Those that hooks have added: a response that is written here would lose them.
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

  const write = async (text: string): Promise<void> => {
    signal.throwIfAborted();
    if (text === '' || raw.write(text)) return;
    await once(raw, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(slowReaderMs)]) });
  };
  try {
    await send({ signal, write });
    raw.end();
  } catch (error) {
    if (!closed.signal.aborted)
      request.log.info({ err: error, request_id: request.id, route: request.routeOptions.url }, 'stream cut short');
    raw.destroy();
  } finally {
    onClose();
  }
}

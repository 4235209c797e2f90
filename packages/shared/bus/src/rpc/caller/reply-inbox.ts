import type { Msg } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { CallerName, ServiceName } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import { type Connection, NatsUnusable } from '../../connection/connection.ts';
import { disconnected } from '../../connection/disconnected.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sender } from '../wire/sender.ts';
import { inboxPrefix, replySubject } from '../../protocol/subjects.ts';
import type { WireHeaders } from '../wire/wire-headers.ts';

export interface OutgoingRequest {
  /** The owner from which the answer must come. */
  owner: ServiceName;
  subject: string;
  payload: string | Uint8Array;
  headers?: WireHeaders;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The subject has no subscriber. Only this failure proves that the request was not handled. */
export class NoResponders extends AppError {
  constructor({ owner, subject }: Pick<OutgoingRequest, 'owner' | 'subject'>) {
    super('unavailable', `The service ${owner} is not running; try again in a moment`, { cause: subject });
  }
}

interface Pending extends Pick<OutgoingRequest, 'owner' | 'subject'> {
  resolve(message: Msg): void;
  reject(error: Error): void;
}

export interface ReplyInboxDeps {
  connection: Connection;
  caller: CallerName;
  instance: string;
  send: Sender;
  log: Logger;
}

/**
 * Requests and replies over one subscription. With the library's own, requests in flight at a disconnect and those made during
 * one would wait for their timeout; here both fail at once.
 */
export function openReplyInbox({ connection, caller, instance, send, log }: ReplyInboxDeps) {
  /** Keyed by the full reply subject, so an answer in another owner's part of the inbox matches no request. */
  const pending = new Map<string, Pending>();
  const everyReply = `${inboxPrefix(caller)}.*.${instance}.*`;
  const subscription = connection.nc.subscribe(everyReply, { slow: limits.callsInFlight });

  connection.onDown(() => failAll(() => true, disconnected));
  connection.onDenied(({ operation, subject }) => {
    if (operation !== 'publish') return;
    failAll(
      (waiting) => waiting.subject === subject,
      () => new NatsUnusable(`NATS does not allow ${caller} to send to ${subject}`),
    );
  });

  function failAll(which: (waiting: Pending) => boolean, error: () => Error): void {
    for (const [reply, waiting] of pending) {
      if (!which(waiting)) continue;
      pending.delete(reply);
      waiting.reject(error());
    }
  }

  void (async () => {
    for await (const message of subscription) {
      try {
        take(message);
      } catch (error) {
        log.error({ err: error }, 'failed to read a reply');
      }
    }
  })().catch((error: unknown) => log.fatal({ err: error }, 'the reply inbox ended'));

  function take(message: Msg): void {
    const waiting = pending.get(message.subject);
    // A late answer: the caller has already given up.
    if (!waiting) return;
    pending.delete(message.subject);
    if (message.data.length === 0 && message.headers?.code === 503) waiting.reject(new NoResponders(waiting));
    else waiting.resolve(message);
  }

  function request({ owner, subject, payload, headers, timeoutMs, signal }: OutgoingRequest): Promise<Msg> {
    if (!connection.isUp()) return Promise.reject(disconnected());
    if (pending.size >= limits.callsInFlight) {
      return Promise.reject(new AppError('unavailable', 'Too many requests are in flight'));
    }
    if (signal?.aborted) return Promise.reject(new AppError('timeout', 'The request was given up'));

    // Must not be guessable: JetStream publishes to any subject that a client names, and could be made to answer.
    const reply = replySubject(owner, caller, instance, crypto.randomUUID());
    return new Promise<Msg>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        pending.delete(reply);
        end();
        reject(new AppError('timeout', 'The request was given up'));
      };
      // Runs after pending input has been read, so an answer that arrived during a stall is not late.
      const runOut = (): void => {
        if (!pending.delete(reply)) return;
        end();
        reject(new AppError('timeout', `The service ${owner} did not answer in time`, { cause: subject }));
      };
      const timer = setTimeout(() => setImmediate(runOut), timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      pending.set(reply, {
        owner,
        subject,
        resolve: (message) => {
          end();
          resolve(message);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      send({
        subject,
        payload,
        reply,
        ...(headers && { headers: headers.asHeaders() }),
        onError(error) {
          pending.delete(reply);
          end();
          reject(error);
        },
      });
    });
  }

  return { request };
}

export type ReplyInbox = ReturnType<typeof openReplyInbox>;

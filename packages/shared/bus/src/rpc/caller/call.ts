import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import type { CallerName, Operation } from '@berth/contracts/definition/contract';
import { idempotencyKeyOf } from '@berth/contracts/definition/idempotency-key';
import { AppError, Bug } from '@berth/contracts/errors';
import type { CallOptions } from '../call-options.ts';
import { delays, limits } from '../../protocol/limits.ts';
import { type OutgoingRequest, NoResponders, type ReplyInbox } from './reply-inbox.ts';
import type { RpcMetrics } from '../rpc-metrics.ts';
import { processSubject, rpcSubject } from '../../protocol/subjects.ts';
import { headersToSet } from '../wire/trace-carrier.ts';
import { queuedIn } from '../wire/queued-headers.ts';
import { bytesOf, type ForwardedAnswer, valueOf } from '../wire/wire-answer.ts';
import { headerNames, WireHeaders } from '../wire/wire-headers.ts';

export interface CallerDeps {
  inbox: ReplyInbox;
  caller: CallerName;
  metrics: RpcMetrics;
}

const enc = new TextEncoder();

/** Reads the answer; throws if it is an error. */
type Read<T> = (reply: Msg, subject: string) => T;

/** Calls owners. They have checked their answers, so these are only decoded here, or even forwarded as bytes. */
export function createCaller({ inbox, caller, metrics }: CallerDeps) {
  const tracer = trace.getTracer('berth');

  const calling =
    <T>(read: Read<T>) =>
    async (operation: Operation, request: unknown, options: CallOptions = {}): Promise<T> => {
      const started = performance.now();
      const { resource, name } = operation;
      const span = tracer.startSpan(`${resource}.${name}`, { kind: SpanKind.CLIENT });
      let code = 'ok';
      try {
        const subject = subjectOf(operation, caller, options.process);
        const payload = payloadOf(request);
        const deadline = started + (options.deadlineMs ?? delays.callDeadline);
        const send = () => sendOnce({ owner: operation.owner, subject, payload }, deadline, options, span);
        const reply = await (operation.idempotent ? retriedOnce(send, deadline) : send());
        return read(reply, subject);
      } catch (error) {
        code = error instanceof AppError ? error.code : 'internal';
        throw error;
      } finally {
        span.end();
        metrics.called.observe({ resource, operation: name, code }, (performance.now() - started) / 1_000);
      }
    };

  return {
    call: calling(({ data }, subject) => valueOf(data, subject)),
    callForBytes: calling(
      (reply, subject): ForwardedAnswer => ({
        ...bytesOf(reply.data, subject),
        queued: queuedIn(reply),
      }),
    ),
  };

  function sendOnce(
    request: Pick<OutgoingRequest, 'owner' | 'subject' | 'payload'>,
    deadline: number,
    options: CallOptions,
    span: ReturnType<typeof tracer.startSpan>,
  ): Promise<Msg> {
    const timeoutMs = Math.floor(deadline - performance.now());
    if (timeoutMs < delays.leastDeadline) {
      return Promise.reject(new AppError('timeout', 'Too little time is left for this request'));
    }
    const headers = headersOf(options, timeoutMs);
    propagation.inject(trace.setSpan(context.active(), span), headers, headersToSet);
    return inbox.request({ ...request, headers, timeoutMs, signal: options.signal });
  }
}

const processName = /^[0-9a-f]{16}$/;

function subjectOf(operation: Operation, caller: CallerName, process: string | undefined): string {
  if (!operation.perProcess) return rpcSubject(operation, caller);
  if (process !== undefined && processName.test(process)) return processSubject(operation, caller, process);
  throw new Bug(`${operation.resource}.${operation.name} is for one process, which the call has to name`);
}

function payloadOf(request: unknown): Uint8Array {
  const payload = enc.encode(JSON.stringify(request ?? {}));
  if (payload.length > limits.requestBytes) throw new AppError('too_large', 'The request is too large');
  return payload;
}

function headersOf(options: CallOptions, timeoutMs: number): WireHeaders {
  const { identityToken, ifMatch, network, requestId } = options;
  const idempotencyKey = idempotencyKeyOf(options.idempotencyKey);
  const headers = new WireHeaders();
  headers.set(headerNames.deadline, String(timeoutMs));
  if (requestId !== undefined) headers.set(headerNames.requestId, requestId);
  if (network !== undefined) headers.set(headerNames.network, network);
  if (identityToken !== undefined && !headers.set(headerNames.identity, identityToken)) {
    throw new AppError('unauthenticated', 'The identity of the request is not valid');
  }
  // Our tags always fit a header, so another tag matches no row; on the wire, `""` has the same effect.
  if (ifMatch !== undefined && !headers.set(headerNames.ifMatch, ifMatch)) headers.set(headerNames.ifMatch, '""');
  if (idempotencyKey !== undefined) headers.set(headerNames.idempotencyKey, idempotencyKey);
  return headers;
}

/** Only "no responders" proves that the request was not handled. */
async function retriedOnce(send: () => Promise<Msg>, deadline: number): Promise<Msg> {
  try {
    return await send();
  } catch (error) {
    const pause = 50 + Math.random() * 100;
    if (!(error instanceof NoResponders) || performance.now() + pause > deadline) throw error;
    await sleep(pause);
    return send();
  }
}

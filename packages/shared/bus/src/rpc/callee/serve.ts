import type { Msg, Subscription } from '@nats-io/transport-node';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { DeniedAttempt } from '@berth/contracts/access/denied-attempt';
import type { IdentityVerifier } from '../../identity-tokens/identity-verifier.ts';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { AppError, Bug } from '@berth/contracts/errors';
import type { ServedResource } from '../handler.ts';
import type { Connection } from '../../connection/connection.ts';
import { createDiscovery } from './discovery.ts';
import { type Endpoint, handleRequest, type Incoming, readEnvelope } from './handle-request.ts';
import { limits } from '../../protocol/limits.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import type { RpcMetrics } from '../rpc-metrics.ts';
import type { Sender } from '../wire/sender.ts';
import { callerOf, processSubject, repliesFrom, rpcSubject } from '../../protocol/subjects.ts';
import { headersAsCarrier } from '../wire/trace-carrier.ts';
import { withDeadline } from '@berth/service/waiting/deadline';
import { createTurns } from '@berth/service/waiting/turns';
import type { WireHeaders } from '../wire/wire-headers.ts';
import { refusalOf } from '../wire/wire-answer.ts';
import { writerOf } from './write-answer.ts';

export interface ServerDeps {
  connection: Connection;
  caller: CallerName;
  instance: string;
  send: Sender;
  verifyIdentity: IdentityVerifier;
  log: Logger;
  metrics: RpcMetrics;
  onDenied?: ((attempt: DeniedAttempt) => void) | undefined;
}

const isCaller = (name: string | undefined): name is CallerName => callerNames.some((known) => known === name);

/** Answers requests: one loop per operation, which continues after any error. */
export function createServer(deps: ServerDeps) {
  const { connection, instance, send, log, metrics, verifyIdentity, onDenied } = deps;
  const subscriptions: Subscription[] = [];
  const discovery = createDiscovery(deps);
  const inFlight = new RequestsInFlight();
  const turnsOf = createTurns();
  const tracer = trace.getTracer('berth');

  function serve({ resource, handlers }: ServedResource): void {
    for (const [name, operation] of Object.entries(resource.operations)) {
      const handler = handlers[name];
      if (!handler) throw new Bug(`${resource.name}.${name} has no handler`);
      answer({ resource, operation, handler, writeAnswer: writerOf(operation, resource) });
    }
  }

  function answer(endpoint: Endpoint): void {
    const { operation } = endpoint;
    const subject = operation.perProcess ? processSubject(operation, '*', instance) : rpcSubject(operation, '*');
    const subscription = connection.nc.subscribe(subject, { queue: operation.owner, slow: limits.requestsInFlight });
    subscriptions.push(subscription);
    discovery.add(operation, subject);
    void takeAll(endpoint, subscription);
  }

  async function takeAll(endpoint: Endpoint, subscription: Subscription): Promise<void> {
    try {
      for await (const message of subscription) take(endpoint, message);
    } catch (error) {
      log.error({ err: error, subject: subscription.getSubject() }, 'no longer answering requests');
    }
  }

  function take(endpoint: Endpoint, message: Msg): void {
    const caller = callerOf(message.subject);
    // Callers could use us to publish on other subjects, so replies outside our part of their inbox are refused.
    if (!isCaller(caller) || !message.reply?.startsWith(`${repliesFrom(endpoint.operation.owner, caller)}.`)) {
      metrics.dropped.inc({ reason: 'reply' });
      log.warn({ subject: message.subject }, 'refused a request whose reply subject is outside of the caller inbox');
      return;
    }
    const now = performance.now();
    if (!inFlight.hasRoom(now, message.data.length)) {
      metrics.dropped.inc({ reason: 'busy' });
      respond(message, refusalOf(new AppError('unavailable', 'Too many requests at a time')));
      return;
    }
    try {
      const incoming = readEnvelope(message, caller, now);
      inFlight.add(answerOne(endpoint, incoming), { deadline: incoming.deadline, bytes: message.data.length });
      metrics.inFlight.inc();
    } catch (error) {
      respond(message, refusalOf(toAppError(error)));
    }
  }

  /** Never rejects. */
  async function answerOne(endpoint: Endpoint, incoming: Incoming): Promise<void> {
    const { operation } = endpoint;
    const { caller, message, requestId } = incoming;
    const started = performance.now();
    const name = `${operation.resource}.${operation.name}`;
    let code = 'ok';

    const parent = propagation.extract(context.active(), message.headers, headersAsCarrier);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: { 'rpc.system': 'nats' } }, parent);
    try {
      const work = () => handleRequest(endpoint, incoming, { verifyIdentity, turnsOf, log, onDenied });
      const inTime = () => withDeadline(incoming.deadline, work);
      const { bytes, headers } = await context.with(trace.setSpan(parent, span), inTime);
      respond(message, bytes, headers);
    } catch (error) {
      const refusal = toAppError(error);
      code = refusal.code;
      if (code === 'internal') {
        log.error({ err: error, operation: name, request_id: requestId, caller }, 'request failed');
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      respond(message, refusalOf(refusal));
    } finally {
      const elapsed = performance.now() - started;
      span.end();
      metrics.inFlight.dec();
      metrics.served.observe({ resource: operation.resource, operation: operation.name, code }, elapsed / 1_000);
      discovery.count(operation, elapsed, code);
    }
  }

  function respond(message: Msg, answer: string | Uint8Array, headers?: WireHeaders): void {
    const { reply, subject } = message;
    if (!connection.isUp() || reply === undefined) return;
    const onError = (error: unknown) => log.error({ err: error, subject }, 'sending an answer failed');
    send({ subject: reply, payload: answer, ...(headers && { headers: headers.asHeaders() }), onError });
  }

  /** Refuses new requests and waits, within a limit, for those in flight. */
  async function drain(): Promise<void> {
    await Promise.allSettled([...subscriptions, ...discovery.subscriptions].map((one) => one.drain()));
    const left = await inFlight.ended();
    if (left > 0) log.warn({ requests: left }, 'stopping with requests still in flight');
  }

  return { serve, drain };
}

/** The part of an error that a caller may see: the message of an `AppError`, and nothing of a bug. */
function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side');
}

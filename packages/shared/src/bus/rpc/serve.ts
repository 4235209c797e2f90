import type { Msg, Subscription } from '@nats-io/transport-node';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { IdentityVerifier } from '../../access/identity-verifier.ts';
import { type CallerName, callerNames } from '../../contracts/contract.ts';
import { AppError } from '../../errors.ts';
import type { ServedResource } from '../bus.ts';
import type { Connection } from '../connection/connection.ts';
import { createDiscovery } from './discovery.ts';
import { type Endpoint, handleRequest, type Incoming, readEnvelope } from './handle-request.ts';
import { limits } from '../limits.ts';
import { RequestsInHand } from './requests-in-hand.ts';
import type { RpcMetrics } from './rpc-metrics.ts';
import type { Sender } from './sender.ts';
import { callerOf, repliesFrom, rpcSubject } from '../subjects.ts';
import { headersAsCarrier } from './trace-carrier.ts';
import { createTurns } from './turns.ts';
import { refusalOf } from './wire-answer.ts';

export interface ServerDeps {
  connection: Connection;
  caller: CallerName;
  instance: string;
  send: Sender;
  verifyIdentity: IdentityVerifier;
  log: Logger;
  metrics: RpcMetrics;
}

const isCaller = (name: string | undefined): name is CallerName => callerNames.some((known) => known === name);

/** Answers requests: one loop per operation around an iterator, and nothing thrown in it can end it. */
export function createServer(deps: ServerDeps) {
  const { connection, send, log, metrics, verifyIdentity } = deps;
  const subscriptions: Subscription[] = [];
  const discovery = createDiscovery(deps);
  const inHand = new RequestsInHand();
  const inTurn = createTurns();
  const tracer = trace.getTracer('berth');

  function serve({ resource, handlers }: ServedResource): void {
    for (const [name, operation] of Object.entries(resource.operations)) {
      const handler = handlers[name];
      if (!handler) {
        if (operation.outstanding) continue;
        throw new Error(`${resource.name}.${name} has no handler`);
      }
      answer({ resource, operation, handler });
    }
  }

  function answer(endpoint: Endpoint): void {
    const { operation } = endpoint;
    const subject = rpcSubject(operation, '*');
    const subscription = connection.nc.subscribe(subject, { queue: operation.owner, slow: limits.requestsInHand });
    subscriptions.push(subscription);
    discovery.add(operation, subject);
    void takeAll(endpoint, subscription);
  }

  async function takeAll(endpoint: Endpoint, subscription: Subscription): Promise<void> {
    try {
      for await (const message of subscription) take(endpoint, message);
    } catch (error) {
      log.error({ err: error, subject: subscription.getSubject() }, 'no longer answering');
    }
  }

  function take(endpoint: Endpoint, message: Msg): void {
    const caller = callerOf(message.subject);
    // Answering elsewhere than in our part of the caller's own inbox would let a caller speak with our voice.
    if (!isCaller(caller) || !message.reply?.startsWith(`${repliesFrom(endpoint.operation.owner, caller)}.`)) {
      metrics.dropped.inc({ reason: 'reply' });
      log.warn({ subject: message.subject }, 'refused a request whose reply does not go to its caller');
      return;
    }
    const now = performance.now();
    if (!inHand.hasRoom(now)) {
      metrics.dropped.inc({ reason: 'busy' });
      respond(message, refusalOf(new AppError('unavailable', 'Too many requests at a time')));
      return;
    }
    try {
      const incoming = readEnvelope(message, caller, now);
      inHand.add(answerOne(endpoint, incoming), incoming.deadline);
      metrics.inHand.inc();
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
      const work = () => handleRequest(endpoint, incoming, { verifyIdentity, inTurn, log });
      respond(message, await context.with(trace.setSpan(parent, span), work));
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
      metrics.inHand.dec();
      metrics.served.observe({ resource: operation.resource, operation: operation.name, code }, elapsed / 1_000);
      discovery.count(operation, elapsed, code);
    }
  }

  function respond(message: Msg, answer: string): void {
    const { reply, subject } = message;
    if (!connection.isUp() || reply === undefined) return;
    const onError = (error: unknown) => log.error({ err: error, subject }, 'an answer could not be sent');
    send({ subject: reply, payload: answer, onError });
  }

  /** Takes nothing new and waits for what is under way, though not for ever. */
  async function drain(): Promise<void> {
    await Promise.allSettled([...subscriptions, ...discovery.subscriptions].map((one) => one.drain()));
    const left = await inHand.ended();
    if (left > 0) log.warn({ requests: left }, 'stopping with requests still under way');
  }

  return { serve, drain };
}

/** What a caller may see of an error: its own words if it was made for callers, else none. */
function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side');
}

import type { Msg } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { mayBeAllowed } from '@berth/contracts/access/rules';
import type { IdentityVerifier } from '../../identity-tokens/identity-verifier.ts';
import {
  type CallerName,
  isService,
  type Operation,
  type Resource,
  type ServiceName,
} from '@berth/contracts/definition/contract';
import { Id } from '@berth/contracts/fields/fields';
import { invalidRequest } from '@berth/contracts/fields/field-errors';
import { idempotencyKeyOf, isCreation, stillAnswering } from '@berth/contracts/definition/idempotency-key';
import { AppError } from '@berth/contracts/errors';
import type { DeniedAttempt } from '@berth/contracts/access/denied-attempt';
import type { Handler } from '../handler.ts';
import { CallContext, forbidden } from './handler-context.ts';
import { delays, limits } from '../../protocol/limits.ts';
import type { TurnsOf } from '@berth/service/waiting/turns';
import type { WriteAnswer } from './write-answer.ts';
import { headersOfQueued } from '../wire/queued-headers.ts';
import { headerNames, isSaneRequestId, type WireHeaders } from '../wire/wire-headers.ts';

export interface Endpoint {
  resource: Resource;
  operation: Operation;
  handler: Handler<Operation>;
  writeAnswer: WriteAnswer;
}

export interface Incoming {
  message: Msg;
  caller: CallerName;
  requestId: string;
  /** On the clock of `performance.now()`. */
  deadline: number;
}

export interface HandleDeps {
  verifyIdentity: IdentityVerifier;
  turnsOf: TurnsOf;
  log: Logger;
  /** Called with each request that is refused because the caller lacks a role. */
  onDenied?: ((attempt: DeniedAttempt) => void) | undefined;
}

interface Answered {
  bytes: Buffer;
  headers: WireHeaders | undefined;
}

/** Caller, request id and deadline of a message; throws if the deadline is malformed or too near. */
export function readEnvelope(message: Msg, caller: CallerName, now: number): Incoming {
  const { headers } = message;
  const deadlineText = headers?.get(headerNames.deadline) ?? '';
  const deadlineMs = deadlineText === '' ? delays.callDeadline : Number(deadlineText);
  if (!Number.isFinite(deadlineMs) || deadlineMs > delays.longestDeadline) {
    throw new AppError('invalid', `${headerNames.deadline}: must be a number of milliseconds`);
  }
  if (deadlineMs < delays.leastDeadline) throw new AppError('timeout', 'Too little time is left for this request');

  const given = headers?.get(headerNames.requestId) ?? '';
  const requestId = isSaneRequestId(given) ? given : crypto.randomUUID();
  return { message, caller, requestId, deadline: now + deadlineMs };
}

/**
 * The steps of a request: identify, parse, allow, handle, check that the handler called permit, once, checkIfMatch and change as
 * required, write the answer.
 */
export async function handleRequest(endpoint: Endpoint, incoming: Incoming, deps: HandleDeps): Promise<Answered> {
  const { operation, resource, handler, writeAnswer } = endpoint;
  const { caller, deadline, message, requestId } = incoming;
  const { allow } = operation;
  const identityToken = message.headers?.get(headerNames.identity) || undefined;

  const identity =
    identityToken === undefined ? undefined : await deps.verifyIdentity(identityToken, audienceOf(operation, caller));
  const needsIdentity = allow.on === 'identity' || allow.on === 'row';
  if (needsIdentity && !identity) throw new AppError('unauthenticated', 'This needs a credential');

  const decoded = decode(message);
  const parsed = operation.request.safeParse(decoded);
  // For a caller whom no row could allow, the gateway sends no body; checking here puts the attempt into the audit log.
  const isHopeless = needsIdentity && identity !== undefined && !mayBeAllowed(allow, identity);
  if (isHopeless && (allow.on === 'identity' || !parsed.success)) {
    const refusal = forbidden(allow);
    noteIfDenied(refusal, null, decoded);
    throw refusal;
  }
  if (!parsed.success) throw invalidRequest(parsed.error);
  const request = parsed.data;

  const idempotencyKey = isCreation(operation)
    ? idempotencyKeyOf(message.headers?.get(headerNames.idempotencyKey) || undefined)
    : undefined;

  const context = new CallContext({
    resource,
    operation,
    caller,
    identity,
    identityToken,
    requestId,
    deadline,
    request,
    log: deps.log,
    idempotencyKey,
    ifMatch: message.headers?.get(headerNames.ifMatch) || undefined,
    network: message.headers?.get(headerNames.network).slice(0, maxNetwork) || null,
  });
  try {
    const value = await inOwnTurn(context, idempotencyKey, deps, () => handler(request, context));
    context.refuseForgotten();
    return { bytes: writeAnswer(value), headers: headersOfQueued(context.queued) };
  } catch (error) {
    noteIfDenied(error, context.scopeEnvId, request);
    throw error;
  } finally {
    context.end();
  }

  function noteIfDenied(error: unknown, envId: string | null, denied: unknown): void {
    if (!identity || !(error instanceof AppError) || error.code !== 'forbidden') return;
    const objectId = pathIdOf(denied);
    deps.onDenied?.({ identity, requestId, resource: resource.name, operation: operation.name, objectId, envId });
  }
}

/** The longest value is an IPv6 network of some 40 characters. */
const maxNetwork = 64;

const pathIdOf = (request: unknown): string | null =>
  typeof request === 'object' && request !== null && 'id' in request ? (Id.safeParse(request.id).data ?? null) : null;

/**
 * The audience of the identity token. The gateway gets one token per service that it calls. A service that calls another on
 * behalf of its caller passes on the token it received; its NATS user proves which service it is.
 */
const audienceOf = ({ owner }: Operation, caller: CallerName): ServiceName =>
  caller !== 'api-gateway' && isService(caller) ? caller : owner;

/** Repeats of one request wait for each other here, rather than each holding a database connection. */
function inOwnTurn<T>(
  { identity, remainingMs }: CallContext,
  key: string | undefined,
  { turnsOf }: HandleDeps,
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return work();
  const patienceMs = Math.min(delays.sameKey, remainingMs());
  return turnsOf(`${identity.kind} ${identity.id} ${key}`)(work, { patienceMs, refusal: stillAnswering });
}

function decode(message: Msg): unknown {
  if (message.data.length > limits.requestBytes) throw new AppError('too_large', 'The request is too large');
  if (message.data.length === 0) return {};
  try {
    return message.json();
  } catch (error) {
    throw new AppError('invalid', 'The request is not JSON', { cause: error });
  }
}

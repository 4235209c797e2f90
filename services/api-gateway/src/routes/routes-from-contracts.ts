import type { Bus } from '@berth/bus/bus';
import { etagOf } from '@berth/bus/rpc/etag';
import { bodyLimitOf } from '@berth/contracts/definition/body-limit';
import { answersRow, type Operation, type Resource, successStatus } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { idempotencyKeyOf, isCreation } from '@berth/contracts/definition/idempotency-key';
import { queuesTasks, taskHeaders } from '@berth/contracts/definition/queued-tasks';
import { loginCallbackPath, logins } from '@berth/contracts/resources/accounts/logins';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { isAttempt, limitAttempts, type LimitAttemptsDeps, noteStart } from '../attempts/limit-attempts.ts';
import { networkOf } from '../attempts/network-of.ts';
import type { Authenticate } from '../authentication/authenticate.ts';
import type { RequireCredential } from '../authentication/require-credential.ts';
import { refuseHopeless } from '../authentication/refuse-hopeless.ts';
import type { CompressList } from '../http/compression/compress-lists.ts';
import { chargeTime } from '../limits/charge-usage.ts';
import type { EnterSlot } from '../limits/slots-of-identity.ts';
import { requestReader } from './request-reader.ts';

export interface RouteDeps {
  bus: Pick<Bus, 'callForBytes'>;
  /** For streams that stay open. */
  authenticate: Authenticate;
  requireCredential: RequireCredential;
  compress: CompressList;
  signIns: LimitAttemptsDeps;
  /** Limits of the concurrent requests of an identity: of all, and of those with a large body. */
  slots: EnterSlot;
  largeBodies: EnterSlot;
  /** The time for the calls to auth and the owner together, in ms; 5,000 unless given. */
  budgetMs?: number;
}

interface Route {
  resource: Resource;
  operation: Operation;
  method: HTTPMethods;
  url: string;
}

/** Streams have their own routes. */
const hasOneResponse = ({ produces }: Operation): boolean => produces === undefined;

function routesOf(resources: readonly Resource[]): Route[] {
  return resources.flatMap((resource) =>
    Object.values(resource.operations).flatMap((operation) => {
      const http = httpRouteOf(operation);
      if (!http) return [];
      const { method, path: url } = http;
      const route = { resource, operation, method, url };
      // PATCH is an alias of PUT: both change only the given fields.
      if (method === 'PUT') return [route, { ...route, method: 'PATCH' }];
      return operation.http === logins.operations.finish.http ? [route, { ...route, url: loginCallbackPath }] : [route];
    }),
  );
}

/** One HTTP route per operation that declares one. */
export function routesFromContracts(app: FastifyInstance, resources: readonly Resource[], deps: RouteDeps): void {
  for (const route of routesOf(resources)) {
    const { method, url, operation } = route;
    if (!hasOneResponse(operation)) continue;
    app.route({
      method,
      url,
      bodyLimit: bodyLimitOf(operation),
      ...(operation.allow.on !== 'nothing' && withCredential(operation, deps)),
      ...(isAttempt(operation) && limitAttempts(operation, deps.signIns)),
      handler: answer(route, deps),
    });
  }
}

/**
 * Runs every possible check before the body is read. An operation with its own deadline mostly waits, so it takes no slot; a creation
 * waits only where it adopts something, and costs the most of all otherwise.
 */
function withCredential(operation: Operation, { requireCredential, slots, largeBodies, bus }: RouteDeps) {
  const { config, onRequest } = requireCredential(operation);
  const takesBody = operation.body !== undefined && operation.bodyOptional !== true;
  return {
    config,
    onRequest: takesBody ? [onRequest, refuseHopeless(operation, bus), largeBodies] : [onRequest],
    // Taken after the body has arrived, since a slow body costs the gateway nothing.
    ...((operation.deadlineMs === undefined || isCreation(operation)) && { preHandler: slots }),
  };
}

const contentType = 'application/json; charset=utf-8';

/** During an upgrade, an owner of the previous version does not send a tag. */
const etagIn = (json: Uint8Array, resource: Resource): string | null =>
  etagOf(resource, JSON.parse(Buffer.from(json).toString()));

function answer({ operation, resource }: Route, { bus, compress, signIns, budgetMs: usualMs = 5_000 }: RouteDeps) {
  const status = successStatus(operation);
  const budgetMs = operation.deadlineMs ?? usualMs;
  const isRow = answersRow(operation, resource);
  // May be compressed. Answers to a sign-in contain secrets; they are excluded because their operations need no credential.
  const isList = operation.http?.startsWith('GET ') && !isRow && operation.allow.on !== 'nothing';
  const read = requestReader(operation);
  const creates = isCreation(operation);
  const queues = queuesTasks(operation);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const message = chargeTime(request, () => read(request));
    const idempotencyKey = creates ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;

    const { json, etag, queued } = await bus.callForBytes(operation, message, {
      identityToken: request.identityToken,
      requestId: request.id,
      ...(operation.allow.on === 'nothing' && { network: networkOf(request) }),
      ifMatch: request.headers['if-match'],
      idempotencyKey,
      // The time to receive the body does not count.
      deadlineMs: Math.max(0, budgetMs - request.spentMs),
    });
    noteStart(operation, json, signIns.started);
    if (queues && queued) reply.header(taskHeaders.ids, queued.ids.join(', ')).header(taskHeaders.count, queued.count);
    if (status !== 200) reply.code(status);
    if (status === 204) return reply.send();
    if (isRow) reply.header('etag', etag ?? etagIn(json, resource));
    const body = isList ? await compress(request, reply, json) : json;
    return reply.header('content-type', contentType).send(body);
  };
}

import type { Bus } from '@berth/shared/bus/bus';
import { etagOf } from '@berth/shared/bus/etag';
import { hasPathId, type Operation, type Resource, successStatus } from '@berth/shared/contracts/contract';
import { AppError } from '@berth/shared/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Authenticate } from '../authentication/authenticate.ts';
import { remainingOf } from './call-timing.ts';
import { requestOf } from './request-of.ts';

export interface RouteDeps {
  bus: Pick<Bus, 'call'>;
  authenticate: Authenticate;
}

interface Route {
  resource: Resource;
  operation: Operation;
  method: HTTPMethods;
  url: string;
}

const apiPrefix = '/api/v2';
const everyMethod: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Streams are written by routes of their own; here are the requests that have one answer, be it 501. */
const hasOneAnswer = ({ produces, outstanding }: Operation): boolean => produces === undefined || outstanding === true;

function routesOf(resources: readonly Resource[]): Route[] {
  return resources.flatMap((resource) =>
    Object.values(resource.operations).flatMap((operation) => {
      if (!operation.http) return [];
      const [method = '', path = ''] = operation.http.split(' ');
      const url = path.startsWith('/.well-known/') ? path : `${apiPrefix}${path}`;
      const route = { resource, operation, method, url };
      // PATCH is an alias of PUT: both change only the fields that are there.
      return method === 'PUT' ? [route, { ...route, method: 'PATCH' as const }] : [route];
    }),
  );
}

/** One HTTP route per operation that declares one; what is known at a path but not by this method answers 405. */
export function routesFromContracts(app: FastifyInstance, resources: readonly Resource[], deps: RouteDeps): void {
  const routes = routesOf(resources);
  for (const route of routes.filter(({ operation }) => hasOneAnswer(operation))) {
    const { method, url, operation } = route;
    app.route({ method, url, onRequest: authenticated(operation, deps), handler: answer(route, deps) });
  }
  refuseOtherMethods(app, routes);
}

/** The credential is checked before the body is read: who may not come in is not listened to. */
export const authenticated =
  ({ allow }: Operation, { authenticate }: Pick<RouteDeps, 'authenticate'>) =>
  async (request: FastifyRequest): Promise<void> => {
    request.startedAt = performance.now();
    if (allow.on !== 'nothing') request.identityToken = await authenticate(request);
  };

function answer({ operation, resource }: Route, { bus }: RouteDeps) {
  const status = successStatus(operation);
  const single = resource.etag !== undefined && (hasPathId(operation) || status === 201) && status !== 204;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const message = requestOf(operation, request);
    if (operation.outstanding) throw new AppError('not_implemented', `${operation.summary}: not implemented yet`);

    const ifMatch = request.headers['if-match'];
    const value = await bus.call(operation, message, {
      identityToken: request.identityToken,
      requestId: request.id,
      deadlineMs: remainingOf(request.startedAt),
      ...(ifMatch !== undefined && { ifMatch }),
    });
    reply.code(status);
    if (status === 204) return reply.send();
    if (single && typeof value === 'object' && value !== null) reply.header('etag', etagOf(resource, value));
    return value;
  };
}

function refuseOtherMethods(app: FastifyInstance, routes: Route[]): void {
  const byUrl = Map.groupBy(routes, ({ url }) => url);
  for (const [url, known] of byUrl) {
    const methods = new Set<HTTPMethods>(known.map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].join(', ');
    app.route({
      method: everyMethod.filter((method) => !methods.has(method)),
      url,
      // Before any body is read: the method alone decides.
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        throw new AppError('method_not_allowed', `${request.method} is not possible here; allowed are ${allow}`);
      },
      handler: async () => null,
    });
  }
}

import { hasPathId, type Operation } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { isCreation } from '@berth/contracts/definition/idempotency-key';

/** The arguments of the client's methods: each part only if the operation has it. */
export interface RequestParts {
  id?: string;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface HttpRequest {
  method: string;
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface HttpOptions {
  ifMatch?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The HTTP request of an operation. */
export function toHttp(
  operation: Operation,
  { id, query, body }: RequestParts,
  { ifMatch, idempotencyKey }: HttpOptions,
): HttpRequest {
  const route = httpRouteOf(operation);
  if (!route) throw new Error(`${operation.resource}.${operation.name} has no HTTP route`);
  const path = hasPathId(operation) ? route.path.replace(':id', encodeURIComponent(id ?? '')) : route.path;
  return {
    method: route.method,
    path: path + queryText(query),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** `undefined` means no filter; `null` selects rows without a value. */
function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Whether it is safe to send it again: reads, and creations, which carry an idempotency key. */
export const isRepeatable = (operation: Operation): boolean =>
  httpRouteOf(operation)?.method === 'GET' || isCreation(operation);

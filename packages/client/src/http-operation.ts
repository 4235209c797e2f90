import { hasPathId, type Operation } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { isCreation } from '@berth/contracts/definition/idempotency-key';
import type { HttpOperation } from './http/to-http.ts';

/** What the client needs to know of an operation of the contracts; null if it has no route. */
export function httpOperation(operation: Operation): HttpOperation | null {
  const route = httpRouteOf(operation);
  if (!route) return null;
  const { produces, deadlineMs } = operation;
  return {
    ...route,
    ...(hasPathId(operation) && { hasId: true }),
    ...(isCreation(operation) && { creates: true }),
    ...(produces !== undefined && { streams: true }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

import { apiPrefix, type HttpMethod, type HttpRoute, type OperationSpec } from './contract.ts';

/** Method and path template: `/api/v2/bots/:id`. */
export interface MethodAndPath {
  method: HttpMethod;
  path: string;
}

/** Where an operation is served over HTTP; null if it is internal. The only place that knows the prefix rule. */
export function httpRouteOf(operation: { http: HttpRoute }): MethodAndPath;
export function httpRouteOf(operation: Pick<OperationSpec, 'http'>): MethodAndPath | null;
export function httpRouteOf({ http }: Pick<OperationSpec, 'http'>): MethodAndPath | null {
  if (http === undefined) return null;
  const [method, path = ''] = http.split(' ');
  return {
    method: method as HttpMethod,
    // RFC 8615 fixes where well-known documents are.
    path: path.startsWith('/.well-known/') ? path : `${apiPrefix}${path}`,
  };
}

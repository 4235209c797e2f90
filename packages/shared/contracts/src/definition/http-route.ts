import { apiPrefix, type HttpMethod, type HttpRoute, type OperationSpec } from './contract.ts';

/** Method and path template: `/api/v2/bots/:id`. */
export interface MethodAndPath {
  method: HttpMethod;
  path: string;
}

/** The route of an operation; null if it is internal. The prefix rule is only here. */
export function httpRouteOf(operation: { http: HttpRoute }): MethodAndPath;
export function httpRouteOf(operation: Pick<OperationSpec, 'http'>): MethodAndPath | null;
export function httpRouteOf({ http }: Pick<OperationSpec, 'http'>): MethodAndPath | null {
  if (http === undefined) return null;
  const [method, path = ''] = http.split(' ');
  return {
    method: method as HttpMethod,
    // RFC 8615 fixes the path of well-known documents.
    path: path.startsWith('/.well-known/') ? path : `${apiPrefix}${path}`,
  };
}

import { apiPrefix, type HttpMethod, type OperationSpec } from './contract.ts';

/** Method and path template (`/api/v2/bots/:id`) of an operation; null where it is internal. */
export function httpRouteOf({ http }: Pick<OperationSpec, 'http'>): { method: HttpMethod; path: string } | null {
  if (http === undefined) return null;
  const [method, path = ''] = http.split(' ');
  return {
    method: method as HttpMethod,
    // RFC 8615 fixes where well-known documents are.
    path: path.startsWith('/.well-known/') ? path : `${apiPrefix}${path}`,
  };
}

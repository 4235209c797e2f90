import type { OperationSpec, Resource } from '@berth/contracts/definition/contract';
import type { Handlers, ServedResource } from './handler.ts';

/** Ties handlers to their resource; each request is checked and allowed before a handler sees it. */
export const implement = <Ops extends Record<string, OperationSpec>>(
  resource: Resource<Ops>,
  handlers: Handlers<Ops>,
): ServedResource => ({
  resource,
  handlers,
});

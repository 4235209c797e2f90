import type { OperationSpec, Resource } from '../../contracts/contract.ts';
import type { Handlers, ServedResource } from '../bus.ts';

/** Ties handlers to their resource; each request is checked and allowed before a handler sees it. */
export const implement = <Ops extends Record<string, OperationSpec>>(
  resource: Resource<Ops>,
  handlers: Handlers<Ops>,
): ServedResource => ({
  resource,
  handlers,
});

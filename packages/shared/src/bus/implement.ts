import type { OperationSpec, Resource } from '../contracts/contract.ts';
import type { Handler, Handlers, ServedResource } from './bus.ts';

/** Ties handlers to their resource; each request is checked and allowed before a handler sees it. */
export const implement = <Ops extends Record<string, OperationSpec>>(
  resource: Resource<Ops>,
  handlers: Handlers<Ops>,
): ServedResource => ({
  resource: resource as unknown as Resource,
  handlers: handlers as unknown as Record<string, Handler<OperationSpec>>,
});

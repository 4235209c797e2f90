import type { OperationSpec, Resource } from '@berth/contracts/definition/contract';
import type { Handlers, ServedResource } from './handler.ts';

/** Connects handlers to their resource; requests are validated and authorised before a handler runs. */
export const implement = <Ops extends Record<string, OperationSpec>>(
  resource: Resource<Ops>,
  handlers: Handlers<Ops>,
): ServedResource => ({
  resource,
  handlers,
});

import type { OperationSpec, RequestInput, Resource, ResponseOutput } from '@berth/contracts/definition/contract';
import { contracts } from '@berth/contracts/resources/index';
import type { Answer } from './answer.ts';
import { type CallOptions, type ClientOptions, createSend, type Send } from './send.ts';
import type { TextStream } from './text-stream.ts';

type Contracts = typeof contracts;

/** An operation of the public API; internal ones have no route. */
type IsPublic<S extends OperationSpec> = S['http'] extends string ? true : false;

type Value<S extends OperationSpec> = S['produces'] extends string ? TextStream : ResponseOutput<S>;

/** The request may be omitted if none of its parts is required. */
type ApiCall<S extends OperationSpec> =
  object extends RequestInput<S>
    ? (request?: RequestInput<S>, options?: CallOptions) => Promise<Answer<Value<S>>>
    : (request: RequestInput<S>, options?: CallOptions) => Promise<Answer<Value<S>>>;

type OperationsOf<R> = R extends Resource<infer Ops> ? Ops : never;

type PublicCalls<Ops extends Record<string, OperationSpec>> = {
  [K in keyof Ops as IsPublic<Ops[K]> extends true ? K : never]: ApiCall<Ops[K]>;
};

/** Every public operation as a method: `client.deployments.create({ body })`. */
export type Client = {
  readonly [R in keyof Contracts]: PublicCalls<OperationsOf<Contracts[R]>>;
};

/**
 * A client of the public API, derived from the contracts. It runs wherever `fetch` exists and uses no Node modules. Problems are
 * returned (`Answer`), not thrown; a call rejects only if its signal aborts.
 */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  // `Object.fromEntries` loses which key had which type; the types above come from the same contracts.
  return Object.fromEntries(
    Object.entries(contracts).map(([name, resource]) => [name, callsOf(resource, send)]),
  ) as unknown as Client;
}

function callsOf({ operations }: Resource, send: Send): Record<string, unknown> {
  const exposed = Object.entries(operations).filter(([, operation]) => operation.http !== undefined);
  return Object.fromEntries(
    exposed.map(([name, operation]) => [
      name,
      (request: Parameters<Send>[1] = {}, options: CallOptions = {}) => send(operation, request, options),
    ]),
  );
}

import type { Client } from './api/client.ts';
import { operationTable } from './operation-table.ts';
import { type CallOptions, type ClientOptions, createSend, type Send } from './http/send.ts';
import type { HttpOperation } from './http/to-http.ts';

/**
 * A client of the public API, derived from the contracts. It runs wherever `fetch` exists and uses no Node modules. Problems are
 * returned (`Answer`), not thrown; a call rejects only if its signal aborts.
 */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  // `Object.fromEntries` loses which key had which type; the types are made from the same contracts.
  return Object.fromEntries(
    Object.entries(operationTable).map(([name, operations]) => [name, callsOf(operations, send)]),
  ) as unknown as Client;
}

const callsOf = (operations: Record<string, HttpOperation>, send: Send): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (request: Parameters<Send>[1] = {}, options: CallOptions = {}) => send(operation, request, options),
    ]),
  );

import { contracts } from '@berth/contracts/resources/index';
import type { Operation } from '@berth/contracts/definition/contract';
import { httpOperation } from './http-operation.ts';
import type { HttpOperation } from './http/to-http.ts';

const callsOf = (operations: Record<string, Operation>): Record<string, HttpOperation> =>
  Object.fromEntries(
    Object.entries(operations).flatMap(([name, operation]) => {
      const call = httpOperation(operation);
      return call ? [[name, call]] : [];
    }),
  );

/** The public operations by resource and name. Bundles contain its value instead of the contracts, which are ten times as large. */
export const operationTable: Readonly<Record<string, Record<string, HttpOperation>>> = Object.fromEntries(
  Object.entries(contracts)
    .map(([name, { operations }]) => [name, callsOf(operations)] as const)
    .filter(([, calls]) => Object.keys(calls).length > 0),
);

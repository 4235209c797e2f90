import { operationTable } from '@berth/client/operation-table';
import type { Plugin } from 'rolldown';

/** Puts the value of the table of operations into a bundle, instead of the contracts from which it is made. */
export const inlineOperations: Plugin = {
  name: 'inline-operations',
  load: (id) =>
    id.endsWith('/client/src/operation-table.ts')
      ? `export const operationTable = ${JSON.stringify(operationTable)};`
      : null,
};

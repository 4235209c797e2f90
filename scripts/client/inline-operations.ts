import { operationTable } from '@berth/client/operation-table';
import { ruleTable } from '@berth/client/rule-table';
import type { Plugin } from 'rolldown';

const tables = { 'operation-table': { operationTable }, 'rule-table': { ruleTable } };

/** Puts the values of the tables that are made from the contracts into a bundle, instead of the contracts. */
export const inlineOperations: Plugin = {
  name: 'inline-operations',
  load: (id) => {
    const found = Object.entries(tables).find(([file]) => id.endsWith(`/client/src/${file}.ts`));
    if (!found) return null;
    return Object.entries(found[1])
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
      .join('\n');
  },
};

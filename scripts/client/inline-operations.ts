import { operationTable } from '@berth/client/operation-table';
import { ruleTable } from '@berth/client/rule-table';
import type { Plugin } from 'rolldown';

const tables = { 'operation-table': { operationTable }, 'rule-table': { ruleTable } };

/** Replaces the contracts in a bundle by the tables made from them. */
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

import type { Operation } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { contracts } from '@berth/contracts/resources/index';

/** The page `docs/client.md`: every method of the client, from the contracts. */
export function clientReference(): string {
  const groups = Object.entries(contracts).flatMap(([name, { operations }]) => {
    const rows = Object.entries<Operation>(operations).flatMap(([method, operation]) => rowOf(name, method, operation));
    return rows.length > 0 ? [`## ${name}\n\n| Method | Request | Does |\n|---|---|---|\n${rows.join('\n')}\n`] : [];
  });
  return [head, ...groups].join('\n');
}

const head = `# The methods of the client

Generated from the contracts by \`npm run generate\`. How to use the client is in [its README](../packages/client/README.md);
editors show the fields of requests and answers.
`;

function rowOf(resource: string, method: string, operation: Operation): string[] {
  const route = httpRouteOf(operation);
  return route ? [`| \`${resource}.${method}\` | \`${route.method} ${route.path}\` | ${operation.summary} |`] : [];
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operationNames } from '@berth/contracts/resources/tasks/task-operation';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../../', import.meta.url));

/** Files outside `engine/operations` that may name a variant, and why. */
const mayName: Record<string, string> = {
  'engine/deployments/lifecycle.ts': 'the events of the lifecycle are named after the operations that start',
  'engine/deployments/resting-reason.ts': 'sentences that users read',
};

const name = new RegExp(`\\b(?:${operationNames.join('|')})\\b`);

/** Comments may name operations. */
const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*(?:\/\/|--).*$/gm, '');

test('outside of their folder, operations are not told apart by name', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith(join('engine', 'operations')),
  );
  const naming = files.filter((file) => name.test(code(readFileSync(join(sources, file), 'utf8'))));

  expect(files.length).toBeGreaterThan(150);
  expect(naming.sort()).toEqual(Object.keys(mayName));
});

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { cliReference, commands, examplesIn } from './cli-reference.ts';

test('docs/cli.md has the help of each command; npm run generate renews it', async () => {
  expect(await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')).toBe(cliReference());
});

test('the help of each command has an example, unless its name says it all', () => {
  const without = commands.filter((command) => examplesIn(command).length === 0).map(({ route }) => route);

  expect(without).toEqual([
    'berth context list',
    'berth context current',
    'berth context use',
    'berth context rename',
    'berth context delete',
    'berth token list',
  ]);
});

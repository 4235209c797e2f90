import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  codeFolders,
  filesIn,
  type Import,
  importsWithin,
  isTest,
  root,
  sourcesIn,
  workspaces,
} from './rules/sources.ts';

const mostFiles = 16;
const mostLines = 300;

/** Longer files, each with the reason why it is not split. */
const longFiles: Record<string, string> = {
  'services/tasks/test/simulation/runner.ts': 'a runner as a state machine: its steps share one state',
  'services/tasks/test/simulation/service.ts': 'the service of the same simulation: its steps share one state',
};

test('every package and service keeps its sources in src', () => {
  expect(workspaces.length).toBeGreaterThan(10);
  expect(workspaces.filter((workspace) => sourcesIn(`${workspace}/src`).length === 0)).toEqual([]);
});

describe.each(codeFolders)('in %s', (folder) => {
  test('imports lead from no folder through others back to it', () => {
    expect(circuits(importsWithin(folder), (file) => dirname(file))).toEqual([]);
  });

  test('imports lead from no top-level folder through any others back to it', () => {
    expect(circuits(importsWithin(folder), (file) => file.split(sep)[0] ?? '')).toEqual([]);
  });
});

test.each([...codeFolders, 'deploy/berth'])(
  `no folder in %s has more than ${mostFiles} files; tests beside sources do not count`,
  (folder) => {
    const isTestFolder = folder.endsWith('/test');
    const files = filesIn(folder).filter((file) => (isTestFolder || !isTest(file)) && !file.endsWith('.sql'));
    const folders = Map.groupBy(files, (file) => dirname(file));

    expect([...folders].filter(([, inside]) => inside.length > mostFiles).map(([name]) => name)).toEqual([]);
  },
);

test(`no source and no test helper has more than ${mostLines} lines, except for those listed`, () => {
  const long = codeFolders
    .flatMap((folder) => sourcesIn(folder).map((file) => `${folder}/${file}`))
    .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > mostLines + 1);

  expect(long.toSorted()).toEqual(Object.keys(longFiles).toSorted());
});

test('finds circuits of any length, and no folders that merely lead into one', () => {
  const imports = ['a/1 b/1', 'b/2 c/1', 'c/2 a/2', 'd/1 a/1', 'c/1 e/1', 'a/1 a/2'].map((pair) => {
    const [file = '', imported = ''] = pair.split(' ');
    return { file, imported };
  });

  expect(circuits(imports, dirname)).toEqual([
    'a → b: a/1 imports b/1',
    'b → c: b/2 imports c/1',
    'c → a: c/2 imports a/2',
  ]);
});

/** Imports between folders that are part of a circuit, with an example of each. */
function circuits(imports: readonly Import[], roomOf: (file: string) => string): string[] {
  const examples = new Map<string, Map<string, string>>();
  for (const { file, imported } of imports) {
    const [from, to] = [roomOf(file), roomOf(imported)];
    if (from === to) continue;
    const ofFrom = examples.get(from) ?? new Map<string, string>();
    examples.set(from, ofFrom.set(to, `${file} imports ${imported}`));
  }

  return [...examples].flatMap(([from, ofFrom]) =>
    [...ofFrom]
      .filter(([to]) => reachableFrom(to, examples).has(from))
      .map(([to, example]) => `${from} → ${to}: ${example}`),
  );
}

function reachableFrom(start: string, edges: ReadonlyMap<string, ReadonlyMap<string, unknown>>): Set<string> {
  const reached = new Set([start]);
  // A set also iterates over values that are added meanwhile.
  for (const room of reached) for (const next of edges.get(room)?.keys() ?? []) reached.add(next);
  return reached;
}

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

/** Longer files, each with the reason why it is in one piece. */
const longFiles: Record<string, string> = {
  'packages/shared/testing/src/identity-leases/explored-states.ts':
    'a model of the whole protocol, read beside decision record 0015',
  'services/tasks/test/simulation/runner.ts': 'a runner as a state machine: its steps share one state',
  'services/tasks/test/simulation/service.ts': 'the service of the same simulation: its steps share one state',
  'services/tasks/test/simulation/simulate.ts': 'the schedule of that simulation',
  'services/tasks/test/support/deployment-model.ts': 'a second statement of the rules of deployments, to compare with',
};

test('every package and service keeps its sources in src', () => {
  expect(workspaces.length).toBeGreaterThan(10);
  expect(workspaces.filter((workspace) => sourcesIn(`${workspace}/src`).length === 0)).toEqual([]);
});

describe.each(codeFolders)('in %s', (folder) => {
  test('no two folders import each other', () => {
    expect(pairs(importsWithin(folder), (file) => dirname(file))).toEqual([]);
  });

  test('no two top-level folders import each other, whatever is between', () => {
    expect(pairs(importsWithin(folder), (file) => file.split(sep)[0] ?? '')).toEqual([]);
  });
});

test.each([...codeFolders, 'deploy/berth'])(
  `in %s no folder has more than ${mostFiles} files, not counting their tests`,
  (folder) => {
    const files = filesIn(folder).filter((file) => !isTest(file) && !file.endsWith('.sql'));
    const folders = Map.groupBy(files, (file) => dirname(file));

    expect([...folders].filter(([, inside]) => inside.length > mostFiles).map(([name]) => name)).toEqual([]);
  },
);

test(`no source and no helper of tests has more than ${mostLines} lines, except those that are listed`, () => {
  const long = codeFolders
    .flatMap((folder) => sourcesIn(folder).map((file) => `${folder}/${file}`))
    .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > mostLines + 1);

  expect(long.toSorted()).toEqual(Object.keys(longFiles).toSorted());
});

function pairs(imports: readonly Import[], roomOf: (file: string) => string): string[] {
  const edges = new Map<string, string>();
  for (const { file, imported } of imports)
    edges.set(`${roomOf(file)} → ${roomOf(imported)}`, `${file} imports ${imported}`);

  return [...edges].flatMap(([edge, example]) => {
    const [from = '', to = ''] = edge.split(' → ');
    const back = edges.get(`${to} → ${from}`);
    return from < to && back ? [`${from} and ${to}: ${example}, ${back}`] : [];
  });
}

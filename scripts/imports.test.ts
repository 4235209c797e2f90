import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orderInReadme, roomsIn } from './rules/order-in-readme.ts';
import { codeFolders, filesIn, importsWithin, root, sourcesIn, specifiersOf, workspaces } from './rules/sources.ts';

/** Packages may only import packages of a lower line. */
const packageOrder = [
  ['chart', 'cli', 'console', 'devstack'],
  ['chart-archive'],
  ['client', 'chart-extensions', 'kube', 'egress'],
  ['testing'],
  ['db'],
  ['bus'],
  ['service'],
  ['contracts'],
  ['untrusted-work'],
  ['process-guard'],
];
/** For tests and development; deployed code imports none of them. */
const notDeployed = ['chart', 'cli', 'console', 'devstack', 'testing'];

const levelOf = (name: string): number => packageOrder.findIndex((level) => level.includes(name));
const nameOf = (workspace: string): string => workspace.split('/').at(-1) ?? '';
const isOfTests = (file: string): boolean => /(?:^|\/)test(?:ing\/|-[^/]*\.ts$)/.test(file);

/** The other packages that the sources of a package or service import. */
const packagesUsedBy = (workspace: string): { file: string; used: string }[] =>
  sourcesIn(`${workspace}/src`)
    .filter((file) => !isOfTests(file) || nameOf(workspace) === 'testing')
    .flatMap((file) =>
      specifiersOf(`${workspace}/src`, file)
        .filter((specifier) => specifier.startsWith('@berth/'))
        .map((specifier) => ({ file, used: specifier.split('/')[1] ?? '' })),
    );

const packages = workspaces.filter((workspace) => workspace.startsWith('packages/'));
const services = workspaces.filter((workspace) => workspace.startsWith('services/'));

test('the order of packages contains each of them', () => {
  expect(packageOrder.flat().toSorted()).toEqual(packages.map(nameOf).toSorted());
});

test.each(packages)('%s imports only packages below it', (workspace) => {
  const own = levelOf(nameOf(workspace));

  expect(packagesUsedBy(workspace).filter(({ used }) => levelOf(used) <= own)).toEqual([]);
});

test.each(services)('%s imports only packages that are deployed', (workspace) => {
  const wrong = packagesUsedBy(workspace).filter(({ used }) => levelOf(used) < 0 || notDeployed.includes(used));

  expect(wrong).toEqual([]);
});

/** Tests of one service that run code of another one: what they prove is how the two work together. */
const acrossServices = ['services/runner/test/support/fake-cluster-sync.ts', 'services/tasks/test/simulation/'];

test.each(services)('%s and its tests import nothing of other services', (workspace) => {
  const files = ['src', 'test'].flatMap((part) =>
    filesIn(`${workspace}/${part}`).map((file) => ({ folder: `${workspace}/${part}`, file })),
  );
  const others = files.flatMap(({ folder, file }) =>
    specifiersOf(folder, file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ file: `${folder}/${file}`, imported: join(folder, dirname(file), specifier) }))
      .filter(({ imported }) => !imported.startsWith(`${workspace}/`)),
  );

  expect(others.filter(({ file }) => !acrossServices.some((path) => file.startsWith(path)))).toEqual([]);
});

const tables = [
  ...workspaces.map((workspace) => ({ page: workspace, folder: `${workspace}/src` })),
  { page: 'bench', folder: 'bench' },
];

describe.each(tables)('the README of $page', ({ page, folder }) => {
  const order = orderInReadme(page);
  const placeOf = (file: string): number => {
    const own = order.indexOf(file);
    return own < 0 ? order.indexOf(file.split(sep)[0] ?? '') : own;
  };

  test('names every folder in its table', () => {
    expect(roomsIn(folder).filter((room) => hasCode(folder, room) && !order.includes(room))).toEqual([]);
  });

  test('has a table in which each folder imports only folders below it', () => {
    const upwards = importsWithin(folder)
      .filter(({ file, imported }) => file.split(sep)[0] !== imported.split(sep)[0])
      .filter(({ file, imported }) => placeOf(file) >= 0 && placeOf(imported) <= placeOf(file))
      .map(({ file, imported }) => `${file} imports ${imported}`);

    expect(upwards).toEqual([]);
  });
});

const exported = packages.flatMap((workspace) => {
  const { name, exports = {} }: { name: string; exports?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, workspace, 'package.json'), 'utf8'),
  );
  return Object.entries(exports).map(([key, path]) => ({ workspace, key, path, specifier: `${name}${key.slice(1)}` }));
});

test('each export of a package is the path of its file', () => {
  const wrong = exported.filter(({ key, path }) => path !== `./src/${key === '.' ? 'index' : key.slice(2)}.ts`);

  expect(wrong).toEqual([]);
});

test('each export of a package is used by another one', () => {
  const used = codeFolders.flatMap((folder) =>
    filesIn(folder)
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => specifiersOf(folder, file).map((specifier) => ({ folder, specifier }))),
  );
  const isUsed = ({ workspace, specifier }: (typeof exported)[number]) => {
    const matches = (other: string) =>
      specifier.endsWith('/*') ? other.startsWith(specifier.slice(0, -1)) : other === specifier;
    return used.some((one) => !one.folder.startsWith(`${workspace}/`) && matches(one.specifier));
  };

  expect(exported.filter((one) => !isUsed(one)).map(({ specifier }) => specifier)).toEqual([]);
});

const hasCode = (folder: string, room: string): boolean => sourcesIn(`${folder}/${room}`).length > 0;

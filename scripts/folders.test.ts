import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const mostFiles = 16;

const workspaces = ['packages', 'packages/shared', 'services'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json'))),
);

test('every package and service keeps its sources in src', () => {
  expect(workspaces.length).toBeGreaterThan(10);
  expect(workspaces.filter((folder) => sourcesOf(folder).length === 0)).toEqual([]);
});

describe.each(workspaces)('in %s', (workspace) => {
  const files = sourcesOf(workspace);
  const imports = files.flatMap((file) => importsOf(workspace, file).map((imported) => ({ file, imported })));

  test('no two folders import each other', () => {
    expect(pairs(imports, (file) => dirname(file))).toEqual([]);
  });

  test('no two top-level folders import each other, whatever is between', () => {
    expect(pairs(imports, (file) => file.split(sep)[0] ?? '')).toEqual([]);
  });

  test(`no folder has more than ${mostFiles} files beside their tests`, () => {
    const folders = Map.groupBy(files, (file) => dirname(file));

    expect([...folders].filter(([, inside]) => inside.length > mostFiles).map(([folder]) => folder)).toEqual([]);
  });
});

describe.each(workspaces.filter((folder) => folder.startsWith('services/')))('the README of %s', (workspace) => {
  test('names every folder of src', () => {
    const text = readFileSync(join(root, workspace, 'README.md'), 'utf8');
    const folders = readdirSync(join(root, workspace, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}/`);

    expect(folders.filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
  });
});

/** The files of `src` without tests, which may import anything. */
function sourcesOf(workspace: string): string[] {
  return readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
}

function importsOf(workspace: string, file: string): string[] {
  const text = readFileSync(join(root, workspace, 'src', file), 'utf8');
  return [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
}

function pairs(imports: readonly { file: string; imported: string }[], roomOf: (file: string) => string): string[] {
  const edges = new Map<string, string>();
  for (const { file, imported } of imports)
    edges.set(`${roomOf(file)} → ${roomOf(imported)}`, `${file} imports ${imported}`);

  return [...edges].flatMap(([edge, example]) => {
    const [from = '', to = ''] = edge.split(' → ');
    const back = edges.get(`${to} → ${from}`);
    return from < to && back ? [`${from} and ${to}: ${example}, ${back}`] : [];
  });
}

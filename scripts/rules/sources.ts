import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of all packages and services, such as `services/auth`. */
export const workspaces = ['packages', 'packages/shared', 'services'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json'))),
);

/** Every folder with our code: sources and tests of each package and service, and folders beside these. */
export const codeFolders = [
  ...workspaces.flatMap((workspace) => [`${workspace}/src`, `${workspace}/test`]),
  'bench',
  'scripts',
  'tests',
].filter((folder) => existsSync(join(root, folder)));

/** The files below a folder, by relative path. */
export function filesIn(folder: string, inside = ''): string[] {
  return readdirSync(join(root, folder, inside), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(inside, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** TypeScript files other than tests, which may import from anywhere. */
export const sourcesIn = (folder: string): string[] =>
  filesIn(folder).filter((file) => /\.tsx?$/.test(file) && !isTest(file));

export interface Import {
  file: string;
  imported: string;
}

/** The imports of a folder's files from the same folder. */
export function importsWithin(folder: string): Import[] {
  return sourcesIn(folder).flatMap((file) =>
    specifiersOf(folder, file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ file, imported: join(dirname(file), specifier) }))
      .filter(({ imported }) => !imported.startsWith('..')),
  );
}

/** The imports of a file, as written. */
export function specifiersOf(folder: string, file: string): string[] {
  const text = readFileSync(join(root, folder, file), 'utf8');
  return [...text.matchAll(/(?:from |import |import\()'([^']+)'/g)].map(([, specifier = '']) => specifier);
}

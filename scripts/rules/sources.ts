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

/** Every folder with code of ours: the sources and tests of each package and service, and what stands beside them. */
export const codeFolders = [
  ...workspaces.flatMap((workspace) => [`${workspace}/src`, `${workspace}/test`]),
  'bench',
  'scripts',
  'tests',
].filter((folder) => existsSync(join(root, folder)));

/** The files below a folder, by their path in it. */
export function filesIn(folder: string, inside = ''): string[] {
  return readdirSync(join(root, folder, inside), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(inside, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

export const isTest = (file: string): boolean => file.endsWith('.test.ts');

/** The TypeScript files without tests, which may reach wherever they need. */
export const sourcesIn = (folder: string): string[] =>
  filesIn(folder).filter((file) => file.endsWith('.ts') && !isTest(file));

export interface Import {
  file: string;
  imported: string;
}

/** What files of a folder import of the same folder. */
export function importsWithin(folder: string): Import[] {
  return sourcesIn(folder).flatMap((file) =>
    specifiersOf(folder, file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ file, imported: join(dirname(file), specifier) }))
      .filter(({ imported }) => !imported.startsWith('..')),
  );
}

/** What a file imports, as it is written. */
export function specifiersOf(folder: string, file: string): string[] {
  const text = readFileSync(join(root, folder, file), 'utf8');
  return [...text.matchAll(/(?:from |import |import\()'([^']+)'/g)].map(([, specifier = '']) => specifier);
}

import { glob, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { GitVCSProvider, type VCSProviderOptions } from 'vitest/node';
import { reachedWithoutImport } from './reached-without-import.ts';

/** For `npm test -- --changed`: files that Git reports as changed, and files that they affect other than by an import. */
export class ChangedFiles extends GitVCSProvider {
  override async findChangedFiles(options: VCSProviderOptions): Promise<string[]> {
    const changed = await super.findChangedFiles(options);
    return [...changed, ...(await reachedFrom(options.root, changed))];
  }
}

export async function reachedFrom(root: string, changed: readonly string[]): Promise<string[]> {
  const reached = changed.map((file) => reachedWithoutImport(relative(root, file)));
  const folders = [...new Set(reached.flatMap(({ testsBelow }) => testsBelow))];
  const words = [...new Set(reached.flatMap(({ naming }) => naming))];
  const found = new Set(reached.flatMap(({ files }) => files));
  for await (const file of glob('{services,packages,tests,bench,scripts}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules'],
  })) {
    const isTest = file.endsWith('.test.ts');
    if (isTest && folders.some((folder) => file.startsWith(`${folder}/`))) found.add(file);
    else if (words.length > 0 && (isTest || /\/(test|testing)\//.test(file))) {
      const text = await readFile(join(root, file), 'utf8');
      if (words.some((word) => text.includes(word))) found.add(file);
    }
  }
  return [...found].map((file) => join(root, file));
}

import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CliFailure } from '../../failure/cli-failure.ts';
import type { SetFile } from './parse-documents.ts';

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name);
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const mostFiles = 2_000;
const mostBytes = 32 * 1024 ** 2;

/**
 * The YAML files in a folder and below it, in the order of their names. Hidden files and folders are left out. Links are refused:
 * pruning would take an overlooked document for a removed one.
 */
export async function readSetFiles(folder: string): Promise<SetFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new CliFailure('usage', `${folder} is no folder that can be read`, { cause });
  });
  const nameOf = (entry: Dirent): string => relative(folder, join(entry.parentPath, entry.name));
  const shown = entries.filter((entry) => !/(?:^|[/\\])\./.test(nameOf(entry)));
  const names = shown
    .filter((entry) => entry.isFile() && isYaml(entry.name))
    .map(nameOf)
    .toSorted();
  for (const entry of shown) {
    if (entry.isSymbolicLink() && (isYaml(entry.name) || (await isFolder(join(folder, nameOf(entry))))))
      throw new CliFailure(
        'usage',
        `${join(folder, nameOf(entry))} is a link: documents are files in the folder itself`,
      );
  }
  if (names.length === 0) throw new CliFailure('usage', `${folder} holds no YAML files`);
  if (names.length > mostFiles) throw new CliFailure('usage', `${folder} holds more than ${mostFiles} YAML files`);
  const files: SetFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const path = join(folder, name);
    bytes += (await stat(path)).size;
    if (bytes > mostBytes)
      throw new CliFailure('usage', `the YAML files of ${folder} are larger than ${mostBytes} bytes`);
    files.push({ name, text: await readFile(path, 'utf8') });
  }
  return files;
}

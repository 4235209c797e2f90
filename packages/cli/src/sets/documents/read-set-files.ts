import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CliFailure } from '../../failure/cli-failure.ts';
import type { SetFile } from './parse-documents.ts';

const mostFiles = 2_000;
const mostBytes = 32 * 1024 ** 2;

/** The YAML files in a folder and those below it, in the order of their names. Hidden files and folders are left out. */
export async function readSetFiles(folder: string): Promise<SetFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new CliFailure('usage', `${folder} is no folder that can be read`, { cause });
  });
  const names = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !/(?:^|[/\\])\./.test(name))
    .toSorted();
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

import { accessSync, constants, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliFailure } from '../../failure/cli-failure.ts';
import type { Source } from '../documents/set-document.ts';

export interface ContentsSource {
  /** Why the contents cannot be read; null if they can. */
  problemOf: (source: Source) => string | null;
  read: (source: Source) => Promise<string>;
}

/** Reads contents of secrets from variables and from files below the folder of the set. */
export function contentsSource(folder: string, env: Readonly<Record<string, string | undefined>>): ContentsSource {
  const problemOf = (source: Source): string | null => {
    if ('env' in source) return env[source.env] ? null : `the environment variable ${source.env} is not set`;
    if ('file' in source)
      return isReadable(resolve(folder, source.file)) ? null : `the file ${source.file} cannot be read`;
    return null;
  };
  return {
    problemOf,
    async read(source) {
      const problem = problemOf(source);
      if (problem !== null) throw new CliFailure('usage', problem);
      if ('file' in source) return readFile(resolve(folder, source.file), 'utf8');
      return 'env' in source ? (env[source.env] ?? '') : source.value;
    },
  };
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

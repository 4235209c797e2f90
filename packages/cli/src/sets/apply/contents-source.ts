import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CliFailure } from '../../failure/cli-failure.ts';
import type { Source } from '../documents/set-document.ts';

/** No secret is larger. */
const mostBytes = 1024 * 1024;

export interface ContentsSource {
  /** Why the contents cannot be read; null if they can. */
  problemOf: (source: Source) => string | null;
  read: (source: Source) => Promise<string>;
}

/** Reads contents of secrets from variables and from files below the folder of the set. */
export function contentsSource(folder: string, env: Readonly<Record<string, string | undefined>>): ContentsSource {
  const problemOf = (source: Source): string | null => {
    if ('env' in source) return problemOfVariable(source.env, env);
    return 'file' in source ? problemOfFile(folder, source.file) : null;
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

/** With `BERTH_TOKEN` in a secret, its readers could act as the person who applies the set, who alone knows what other variables hold. */
const ownToken = 'BERTH_TOKEN';

function problemOfVariable(name: string, env: Readonly<Record<string, string | undefined>>): string | null {
  if (name === ownToken) return `${ownToken} is this command's own token and must not be stored in a secret`;
  return env[name] ? null : `the environment variable ${name} is not set`;
}

/** A stranger's document must not send an arbitrary file of this computer: links are resolved before the path is checked. */
function problemOfFile(folder: string, name: string): string | null {
  try {
    const file = realpathSync(resolve(folder, name));
    const way = relative(realpathSync(folder), file);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      return `the file ${name} is outside of the folder of the set: put it there, or use {env: VARIABLE}`;
    accessSync(file, constants.R_OK);
    const found = statSync(file);
    if (found.size > mostBytes) return `the file ${name} has more than ${mostBytes} bytes`;
    if (found.isFile()) return null;
  } catch {
    // The same words as for a path that is no file.
  }
  return `the file ${name} cannot be read`;
}

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cli } from '../terminal/cli.ts';
import { CliFailure } from '../failure/cli-failure.ts';

interface Context {
  url: string;
  token: string;
}

/** The platforms that the user has signed in to, by name. */
export interface Contexts {
  current: string | null;
  contexts: Record<string, Context>;
}

/** The platform's folder for configuration; `BERTH_CONFIG` names another file. */
function contextsFile({ env }: Pick<Cli, 'env'>): string {
  if (env['BERTH_CONFIG']) return env['BERTH_CONFIG'];
  const home = env['HOME'] ?? homedir();
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(home, 'Library/Application Support'),
    win32: env['APPDATA'] ?? join(home, 'AppData/Roaming'),
  };
  return join(env['XDG_CONFIG_HOME'] || (folders[platform()] ?? join(home, '.config')), 'berth/contexts.json');
}

export async function readContexts(cli: Pick<Cli, 'env'>): Promise<Contexts> {
  const file = contextsFile(cli);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { current: null, contexts: {} };
    throw new CliFailure('failed', `${file} cannot be read: repair or remove it`, { cause: error });
  }
}

/** Replaces the file at once, readable by its owner alone. */
export async function writeContexts(cli: Pick<Cli, 'env'>, contexts: Contexts): Promise<void> {
  const file = contextsFile(cli);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${randomUUID()}`;
  // `wx` never writes to a file or link that somebody has put there: others may write to the folder that `BERTH_CONFIG` names.
  await writeFile(written, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(written, file);
}

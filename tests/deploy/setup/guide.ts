import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Surroundings } from './installation.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** The shell commands below a heading of a page in docs/, block by block, as readers copy them. */
export async function commandsIn(page: string, heading: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  const section = text.split(/^(?=##+ )/m).find((part) => part.replace(/^#+/, '').startsWith(` ${heading}\n`));
  if (section === undefined) throw new Error(`docs/${page} has no section "${heading}"`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
}

/** Commands of a guide with one passage replaced; throws if the passage is missing. */
export function insteadOf(commands: string, pieces: Readonly<Record<string, string>>): string {
  let changed = commands;
  for (const [piece, other] of Object.entries(pieces)) {
    if (changed.split(piece).length !== 2) throw new Error(`the guide does not say "${piece}" once`);
    changed = changed.replace(piece, () => other);
  }
  return changed;
}

/**
 * Runs commands of a guide in a folder with the files and programs of its reader: the chart, and a PATH. The shell stops at the
 * first failure. Returns the output.
 */
export async function guideShell(
  { stateFolder, tools, kubeconfigFile, servers }: Surroundings,
  signal: AbortSignal,
): Promise<(commands: string) => Promise<string>> {
  const folder = await mkdtemp(join(stateFolder, 'guide-'));
  await mkdir(join(folder, 'bin'));
  await symlink(tools.helm, join(folder, 'bin/helm'));
  await symlink(join(root, 'deploy'), join(folder, 'deploy'));
  const database = new URL(servers.postgres.adminUrl);
  database.pathname = '/berth';
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    KUBECONFIG: kubeconfigFile,
    DATABASE_URL: database.href,
  };
  return async (commands) => {
    const args = ['-o', 'errexit', '-o', 'nounset', '-o', 'pipefail', '-c', commands];
    const options = { cwd: folder, env, signal, timeout: 15 * 60_000, maxBuffer: 16 * 1024 ** 2 };
    return (await run('/bin/bash', args, options)).stdout;
  };
}

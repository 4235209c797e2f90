import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureTools, startPostgres, toolNames, toolTable } from '@berth/devstack';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { leftovers } from './leftovers.ts';

/**
 * Once per run: the tools, a temporary folder for everything that is made, and one PostgreSQL for all files (each makes
 * databases of its own in it). Servers that files must not share, such as NATS, they start themselves. What the
 * environment gives is used instead. At the end nothing may be left behind: that fails the run.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const signal = AbortSignal.timeout(60 * 60_000);
  await provideTools(signal);

  const serverFolder = await mkdtemp(join(tmpdir(), 'berth-test-servers-'));
  const temporary = await mkdtemp(join(tmpdir(), 'berth-tests-'));
  // Tests run servers as other users too: they have to traverse it.
  await chmod(temporary, 0o711);
  process.env['TMPDIR'] = temporary;
  const guard = startProcessGuard();
  const cached = provideCompileCache(signal);
  if (!process.env['TEST_DATABASE_URL']) await providePostgres({ stateFolder: serverFolder, guard, signal });

  return async () => {
    await cached;
    const left = await leftovers(temporary);
    await guard.close();
    await rm(serverFolder, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`the tests have left something behind:\n${left.join('\n')}`);
  };
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * What Node compiles it keeps for all processes of this and later runs. A process that is killed keeps nothing, and most
 * services in tests are: the first run has each of them compiled on the side, by a start that ends where its configuration is missing.
 */
async function provideCompileCache(signal: AbortSignal): Promise<void> {
  const folder = join(root, 'node_modules', '.cache', 'berth-compiled');
  process.env['NODE_COMPILE_CACHE'] ??= folder;
  if (existsSync(folder)) return;
  for await (const main of glob('services/*/src/*main.ts', { cwd: root })) {
    const options = { env: { NODE_COMPILE_CACHE: folder }, signal };
    await promisify(execFile)(process.execPath, [join(root, main)], options).catch(() => undefined);
  }
}

async function provideTools(signal: AbortSignal): Promise<void> {
  const log = (words: string) => process.stderr.write(`test servers: ${words}\n`);
  const paths = await ensureTools({ names: toolNames, env: process.env, log, signal });
  for (const name of toolNames) process.env[toolTable[name].environment] ??= paths[name];
}

interface Provide {
  stateFolder: string;
  guard: ProcessGuard;
  signal: AbortSignal;
}

async function providePostgres(provide: Provide): Promise<void> {
  const postgres = await startPostgres({ ...provide, durable: false });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;
}

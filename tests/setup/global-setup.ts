import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  if (!process.env['TEST_DATABASE_URL']) await providePostgres({ stateFolder: serverFolder, guard, signal });

  return async () => {
    const left = await leftovers(temporary);
    await guard.close();
    await rm(serverFolder, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`the tests have left something behind:\n${left.join('\n')}`);
  };
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

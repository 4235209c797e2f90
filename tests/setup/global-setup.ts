import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTools, startPostgres, type ToolName, toolTable } from '@berth/devstack';
import { startProcessGuard } from '@berth/shared/process-guard/process-guard';

/**
 * Once per run: the tools, and one PostgreSQL for all files (each makes databases of its own in it). Servers that files
 * must not share, such as NATS, they start themselves. What is given by the environment is used instead.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const log = (words: string) => process.stderr.write(`test servers: ${words}\n`);
  const signal = AbortSignal.timeout(60 * 60_000);
  const names = Object.keys(toolTable) as ToolName[];
  const paths = await ensureTools({ names, env: process.env, log, signal });
  for (const name of names) process.env[toolTable[name].environment] ??= paths[name];
  if (process.env['TEST_DATABASE_URL']) return async () => undefined;

  const guard = startProcessGuard();
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-tests-'));
  const postgres = await startPostgres({ stateFolder, guard, durable: false, signal });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;

  return async () => {
    await postgres.stop();
    await guard.close();
    await rm(stateFolder, { recursive: true, force: true });
  };
}

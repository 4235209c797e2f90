import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '@berth/testing/program-file';
import { type RunningServer, type ServerStart, startServerProcess } from '../servers/server-process.ts';

export interface ServiceStart extends ServerStart {
  /** Also the name of its log and of its folder for secrets. */
  readonly name: string;
  /** Entry file, relative to the checkout. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Passed by `NAME_FILE` in files that only we can read, because other processes can read the environment. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly healthPort: number;
}

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

/** Starts one of our services from source and waits until it reports that it is ready. */
export async function startService(service: ServiceStart): Promise<RunningServer> {
  const { name, entry, settings, stateFolder, healthPort, guard, signal } = service;
  const secretFiles = await writeSecrets(service);
  return startServerProcess({
    name,
    command: [process.execPath, programFile(join(checkout, entry))],
    logFile: join(stateFolder, 'services', `${name}.log`),
    env: {
      NODE_ENV: 'production',
      // Caches compiled sources for later starts and other stacks of a test run.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(stateFolder, 'compile-cache'),
      HEALTH_PORT: String(healthPort),
      ...settings,
      ...secretFiles,
    },
    guard,
    signal,
    isReady: async (probe) => (await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: probe })).ok,
    readyWithinMs: 60_000,
    stopWithinMs: 30_000,
  });
}

async function writeSecrets({ name, secrets, stateFolder }: ServiceStart): Promise<Record<string, string>> {
  const folder = join(stateFolder, 'services', `${name}.secrets`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = Object.entries(secrets).map(async ([variable, value]) => {
    const file = join(folder, variable);
    await writeFile(file, value, { mode: 0o600 });
    return [`${variable}_FILE`, file] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

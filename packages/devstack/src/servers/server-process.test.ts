import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startForTest, toolsForTest } from '../testing/with-servers.ts';

test(
  'NATS and Postgres end when the process that started them is killed',
  async () => {
    const { stateFolder } = await startForTest();
    const { 'nats-server': program } = await toolsForTest('nats-server');
    const parent = spawn(process.execPath, ['--input-type=module', '-e', startBoth(stateFolder, program)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = await numbersFrom(createInterface({ input: parent.stdout }));
    expect(pids.filter(isRunning)).toHaveLength(2);

    parent.kill('SIGKILL');

    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  },
  20 * 60_000,
);

async function numbersFrom(lines: AsyncIterable<string>): Promise<number[]> {
  for await (const line of lines) return line.split(' ').map(Number);
  throw new Error('the parent ended before its servers were ready');
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const moduleAt = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

const startBoth = (stateFolder: string, program: string) => `
  import { startProcessGuard } from ${JSON.stringify(fileURLToPath(import.meta.resolve('@berth/process-guard/process-guard')))};
  import { startNats } from ${moduleAt('./nats.ts')};
  import { startPostgres } from ${moduleAt('./postgres.ts')};
  const start = { stateFolder: ${JSON.stringify(stateFolder)}, guard: startProcessGuard(), signal: AbortSignal.timeout(180_000) };
  const nats = await startNats({ ...start, program: ${JSON.stringify(program)}, accounts: [] });
  const postgres = await startPostgres({ ...start, durable: false });
  console.log(nats.pid, postgres.pid);
  setInterval(() => {}, 1000);
`;

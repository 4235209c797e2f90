import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureTools, rememberedPorts, startNats } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { Client } from 'pg';

export interface Floor extends AsyncDisposable {
  /** The URL that answers one row. */
  url: string;
}

export interface FloorStart {
  databaseUrl: string;
  /** The row to serve, as large as the one in the comparison. */
  row: unknown;
  /** The number of NATS hops with an indexed select each. */
  hops: number;
}

const id = '0b8a6b0e-0000-4000-8000-000000000001';

/** A hand-written gateway and services on a separate NATS server, without the other parts of a product. */
export async function startFloor({ databaseUrl, row, hops }: FloorStart): Promise<Floor> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-floor-'));
  const guard = startProcessGuard();
  const signal = AbortSignal.timeout(60_000);
  const stop = async () => {
    await guard.close();
    await rm(stateFolder, { recursive: true, force: true });
  };
  try {
    await createTable(databaseUrl, row);
    const tools = await ensureTools({ names: ['nats-server'], env: process.env, log: () => undefined, signal });
    const nats = await startNats({ stateFolder, guard, signal, program: tools['nats-server'], accounts: [] });
    const subjects = Array.from({ length: hops }, (_, hop) => `floor.${hop}`);
    const run = (entry: string, ...args: string[]) => startProcess(guard, entry, args);
    for (const subject of subjects) await run('floor-service-main.ts', nats.url, databaseUrl, subject);
    const { http } = await rememberedPorts(join(stateFolder, 'ports.json'), ['http']);
    await run('floor-gateway-main.ts', nats.url, String(http), ...subjects);
    return { url: `http://127.0.0.1:${http}/things/${id}`, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createTable(databaseUrl: string, row: unknown): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('create table if not exists floor (id uuid primary key, row jsonb not null)');
    await client.query(
      'insert into floor select gen_random_uuid(), $1 from generate_series(1, 1000) on conflict do nothing',
      [row],
    );
    await client.query('insert into floor values ($1, $2) on conflict do nothing', [id, row]);
    await client.query('analyze floor');
  } finally {
    await client.end();
  }
}

async function startProcess(guard: ReturnType<typeof startProcessGuard>, entry: string, args: string[]): Promise<void> {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
  });
  if (child.pid === undefined) throw new Error(`${entry} cannot be run`);
  guard.register(child.pid);
  await once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(20_000) });
}

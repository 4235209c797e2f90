import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureTools, startPostgres, toolNames, toolTable } from '@berth/devstack';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { connectTestBus } from '@berth/shared/testing/test-bus';
import { createTestDatabase } from '@berth/shared/testing/test-database';
import { startTestNats } from '@berth/shared/testing/test-nats';
import { Client } from 'pg';
import { loadOfMachine } from '../load-of-machine.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What `cluster-sync` takes for many clusters: memory, CPU, time to the first complete state, and from a change to its row. */
export async function measureClusters(args: readonly string[], say: (line: string) => void): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      objects: { type: 'string', default: '1000' },
      changes: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
    },
  });
  const [clusters, objects, changes, seconds] = [values.clusters, values.objects, values.changes, values.seconds].map(
    Number,
  );

  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-clusters-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));

  const tools = await ensureTools({
    names: toolNames,
    env: process.env,
    log: say,
    signal: AbortSignal.timeout(600_000),
  });
  for (const name of toolNames) process.env[toolTable[name].environment] ??= tools[name];
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const postgres = await startPostgres({
    stateFolder: folder,
    guard,
    durable: false,
    signal: AbortSignal.timeout(60_000),
  });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;

  function start(file: string, args: string[], env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [file, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    stack.defer(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    return child;
  }

  const { pem } = await ensureCertificates(folder);
  const servers = start(fileOf('fake-clusters-main.ts'), [folder, String(objects)], process.env);
  const [port] = await once(createInterface({ input: servers.stdout }), 'line');

  const names = Array.from({ length: clusters ?? 0 }, (_, n) => `c${n}`);
  const certificate = Buffer.from(pem.authority).toString('base64');
  const kubeconfig = join(folder, 'kubeconfig.json');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: names.map((name) => ({
        name,
        cluster: { server: `https://127.0.0.1:${port}/${name}`, 'certificate-authority-data': certificate },
      })),
      users: [{ name: 'bench', user: { token: 'bench' } }],
      contexts: names.map((name) => ({ name, context: { cluster: name, user: 'bench' } })),
    }),
  );

  const migrations = new URL('../../services/cluster-sync/migrations/', import.meta.url);
  const database = stack.use(await createTestDatabase({ service: 'cluster-sync', migrations }));
  const nats = stack.use(await startTestNats());
  const auth = stack.use(await connectTestBus(nats, 'auth'));
  await auth.state.ensureStream();
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stack.defer(() => db.end());

  say(`${clusters} clusters with ${objects} objects each; ${loadOfMachine()}`);
  const startedAt = performance.now();
  const service = start(fileOf('../../services/cluster-sync/src/main.ts'), [], {
    ...process.env,
    ...(process.env['BENCH_NODE_OPTIONS'] && { NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] }),
    NATS_URL: nats.url,
    NATS_PASSWORD: nats.password,
    DATABASE_URL: database.url,
    CLUSTER_KUBECONFIG: kubeconfig,
    CLUSTERS_IGNORE_NEW: 'false',
    LOG_LEVEL: 'warn',
  });
  service.stdout.pipe(process.stderr);

  const number = async (query: string): Promise<number> => Number((await db.query(query)).rows[0]?.n ?? 0);
  const expected = names.length * Math.floor((objects ?? 0) / 20) * 20;

  /** Resident memory in MiB, now and at most so far. */
  async function memory(): Promise<string> {
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
    const field = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
    return `RSS ${field('VmRSS')} MiB, at most ${field('VmHWM')} MiB`;
  }

  /** CPU time so far, in seconds. */
  async function cpu(): Promise<number> {
    const fields = (await readFile(`/proc/${service.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async function during(what: string, ms: number): Promise<void> {
    const before = await cpu();
    await delay(ms);
    say(
      `    ${what.padEnd(24)} ${await memory()}, ${Math.round(((await cpu()) - before) / (ms / 100_000))} % of a core`,
    );
  }

  for (let rows = 0; rows < expected; rows = await number('select count(*) as n from k8s_resources')) {
    if (service.exitCode !== null || performance.now() - startedAt > 600_000)
      throw new Error(`only ${rows} of ${expected} objects have rows`);
    await delay(250);
  }
  say(
    `    ${`${expected} rows after`.padEnd(24)} ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${(await cpu()).toFixed(1)} s of CPU, ${await memory()}`,
  );

  await delay(5_000);
  await during('idle', (seconds ?? 30) * 1000);
  servers.stdin.write(`${changes}\n`);
  await during(`${changes} changes a second`, (seconds ?? 30) * 1000);
  servers.stdin.write('0\n');
  await delay(2_000);

  const since = `extract(epoch from last_updated_at) * 1000 - (metadata->'labels'->>'changed-at')::float8`;
  const changed = `from k8s_resources where metadata->'labels' ? 'changed-at'`;
  const at = (share: number) =>
    number(`select percentile_cont(${share}) within group (order by ${since}) as n ${changed}`);
  const count = await number(`select count(*) as n ${changed}`);
  say(
    `    change to row            p50 ${Math.round(await at(0.5))} ms, p99 ${Math.round(await at(0.99))} ms (${count} rows)`,
  );
}

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureTools, startPostgres, toolNames, toolTable } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { AppError } from '@berth/contracts/errors';
import { connectTestBus } from '@berth/testing/test-bus';
import { createTestDatabase } from '@berth/testing/test-database';
import { startTestNats } from '@berth/testing/test-nats';
import { Client } from 'pg';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { deploymentIdOf } from './deployment-id-of.ts';
import { recordNamespaces } from './record-namespaces.ts';
import { startClusterSync } from './start-cluster-sync.ts';
import { startClusters } from './start-clusters.ts';

const env = '11111111-1111-4111-8111-111111111111';

/**
 * The costs of many clusters for `cluster-sync`: memory and CPU without clusters, while it reads them, when idle, and during
 * changes; the time to the first complete state, and from a change to its row, also with clusters that do not answer; and
 * credentials per second.
 */
export async function measureClusters(args: readonly string[], say: (line: string) => void): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      objects: { type: 'string', default: '1000' },
      changes: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
      /** Node's flags for the service, as in its image. */
      flags: { type: 'string', default: '--max-semi-space-size=8 --heap-growing-percent=50' },
    },
  });
  const [clusters = 0, objects = 0, changes = 0, seconds = 0] = [
    values.clusters,
    values.objects,
    values.changes,
    values.seconds,
  ].map(Number);

  await using stack = new AsyncDisposableStack();
  const tools = await ensureTools({
    names: toolNames,
    env: process.env,
    log: say,
    signal: AbortSignal.timeout(600_000),
  });
  for (const name of toolNames) process.env[toolTable[name].environment] ??= tools[name];
  const fake = stack.use(await startClusters({ clusters, objects }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const postgres = await startPostgres({
    stateFolder: fake.folder,
    guard,
    durable: false,
    signal: AbortSignal.timeout(60_000),
  });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;
  const migrations = new URL('../../services/cluster-sync/migrations/', import.meta.url);
  const database = stack.use(await createTestDatabase({ service: 'cluster-sync', migrations }));
  const nats = stack.use(await startTestNats());
  const auth = stack.use(await connectTestBus(nats, 'auth'));
  const tasks = stack.use(await connectTestBus(nats, 'tasks'));
  for (const bus of [auth, tasks]) await bus.state.ensureStream();
  auth.serve(
    implement(deploymentTokens, {
      issue: async ({ body: { deployment_id } }) => ({
        access_token: `token-of-${deployment_id}`.padEnd(700, 'x'),
        server_url: 'https://berth.example.com',
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        lifetime_seconds: 3_600,
      }),
      issue_for_call: () => Promise.reject(new AppError('not_implemented', 'issue_for_call')),
    }),
  );
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stack.defer(() => db.end());
  const number = async (query: string): Promise<number> => Number((await db.query(query)).rows[0]?.n ?? 0);

  say(`${clusters} clusters with ${objects} objects each; ${loadOfMachine()}`);
  await fake.configure([]);
  const service = stack.use(
    await startClusterSync(
      {
        NATS_URL: nats.url,
        NATS_PASSWORD: nats.password,
        DATABASE_URL: database.url,
        CLUSTER_KUBECONFIG: fake.kubeconfig,
        CLUSTER_REDISCOVER_SECONDS: '1',
        CLUSTERS_IGNORE_NEW: 'false',
      },
      { flags: values.flags.split(' ').filter(Boolean), cache: join(fake.folder, 'compiled') },
    ),
  );
  const line = (what: string, words: string) => say(`    ${what.padEnd(34)} ${words}`);
  const rss = async (): Promise<string> => {
    const { now, most } = await service.memory();
    return `RSS ${now} MiB, at most ${most} MiB`;
  };

  /** Waits until a count of the service reaches this value. Returns how many seconds that took. */
  async function until(count: number, query: string): Promise<number> {
    const startedAt = performance.now();
    for (let seen = -1; seen < count; seen = await number(query)) {
      service.check();
      if (performance.now() - startedAt > 1_200_000) throw new Error(`only ${seen} of ${count}: ${query}`);
      await delay(200);
    }
    return (performance.now() - startedAt) / 1_000;
  }

  async function during(what: string, ms: number): Promise<void> {
    const before = await service.cpu();
    await delay(ms);
    line(what, `${await rss()}, ${Math.round(((await service.cpu()) - before) / (ms / 100_000))} % of a core`);
  }

  /** Makes changes for a while, then waits until all are written. */
  async function change(what: string, among: readonly string[]): Promise<void> {
    const since = (await db.query('select clock_timestamp() as at')).rows[0]?.at;
    fake.change(changes, among);
    await during(what, seconds * 1_000);
    fake.change(0, []);
    await delay(5_000);
    const { rows } = await db.query(
      `select c.name || ' ' || uid as key, metadata->'labels'->>'changed-at' as at,
        extract(epoch from last_updated_at) * 1000 - (metadata->'labels'->>'changed-at')::float8 as ms
      from k8s_resources r join k8s_clusters c on c.id = r.cluster_id
      where metadata->'labels' ? 'changed-at' order by ms`,
    );
    const written = new Map(rows.map(({ key, at }) => [key, at]));
    const lost = [...(await fake.lastChanges())].filter(([key, at]) => written.get(key) !== at);
    const times = rows.filter(({ at }) => Number(at) >= Number(since)).map(({ ms }) => Number(ms));
    const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN);
    line('  change to row', `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${times.length} rows), ${lost.length} lost`);
  }

  await delay(5_000);
  await during('no cluster', 5_000);

  const expected = clusters * Math.floor(objects / 20) * 20;
  const cpuBefore = await service.cpu();
  await recordNamespaces(db, { names: fake.names, each: Math.floor(objects / 20) });
  await fake.configure(fake.names);
  const complete = await until(expected, 'select count(*) as n from k8s_resources');
  line(
    `${expected} rows`,
    `${complete.toFixed(1)} s, ${((await service.cpu()) - cpuBefore).toFixed(1)} s of CPU, ${await rss()}`,
  );
  await until(1, 'select (count(*) = 0)::int as n from outbox where published_version is distinct from version');
  line('their events published', await rss());

  await during('idle', seconds * 1_000);
  const healthy = fake.names.slice(0, Math.ceil(clusters * 0.9));
  await change(`${changes} changes a second in ${healthy.length}`, healthy);
  const holes = new Set(fake.names.slice(healthy.length));
  await fake.configure(fake.names, holes);
  await delay(15_000);
  await change(`the same, ${holes.size} do not answer`, healthy);
  await fake.configure(fake.names);

  await db.query(`update k8s_clusters set env_id = '${env}'`);
  const { rows } = await db.query(
    `select c.id, c.name, r.name as namespace from k8s_resources r join k8s_clusters c on c.id = r.cluster_id where r.kind = 'Namespace'`,
  );
  const deployments = rows.map(({ id, name, namespace }) => ({
    id: deploymentIdOf(name, namespace),
    cluster_id: id,
    namespace,
  }));
  const credentialCpu = await service.cpu();
  await db.query(
    `insert into deployment_projection (id, version, deleted, env_id, cluster_id, namespace, enabled)
    select id, 1, false, '${env}', cluster_id, namespace, true
    from jsonb_to_recordset($1) as d(id uuid, cluster_id uuid, namespace text)`,
    [JSON.stringify(deployments)],
  );
  const issued = await until(deployments.length, 'select count(*) as n from service_credentials');
  line(
    `${deployments.length} credentials`,
    `${(deployments.length / issued).toFixed(0)} a second, ${((await service.cpu()) - credentialCpu).toFixed(1)} s of CPU, ${await rss()}`,
  );
  line('queries without a connection', String(service.starved()));
}

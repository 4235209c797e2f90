import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureTools, startPostgres, toolNames, toolTable } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { freePort } from '@berth/testing/network/free-port';
import { startNode } from '@berth/testing/node-process';
import { createTestDatabase } from '@berth/testing/test-database';
import { startTestNats } from '@berth/testing/test-nats';
import { Client } from 'pg';
import { pushEvents } from '../../services/registry-scan/test/support/push-events.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { cpuSecondsOf, memoryOf } from '../machine/process-usage.ts';
import { quantile } from '../machine/quantile.ts';
import { scaled } from '../platform/scaled.ts';
import { startEcr } from './ecr-in-bench.ts';
import { plainIndex, plainRound, plainScan } from './plain-downloads.ts';
import { startFakeRegistry } from './start-fake-registry.ts';

const root = (path: string) => new URL(`../../services/registry-scan/${path}`, import.meta.url);
const pollSeconds = 30;
const pushes = 200;
const pushToken = hash('sha256', String(Math.random()));

/**
 * The costs of large registries for `registry-scan`: the index of a chart repository, the first scan of many charts, rounds in which
 * nothing has changed, and the time from a push to its chart; each compared with plain requests of this process for the same data.
 */
export async function measureRegistries(say: (line: string) => void): Promise<void> {
  const [repositories, tags, packages, entries] = [scaled(1_000), 20, 5, scaled(100_000)];
  await using stack = new AsyncDisposableStack();
  const signal = AbortSignal.timeout(600_000);
  const tools = await ensureTools({ names: toolNames, env: process.env, log: say, signal });
  for (const name of toolNames) process.env[toolTable[name].environment] ??= tools[name];
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-bench-registries-'));
  stack.defer(() => rm(stateFolder, { recursive: true, force: true }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const postgres = await startPostgres({ stateFolder, guard, durable: false, signal });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;
  const database = stack.use(await createTestDatabase({ service: 'registry-scan', migrations: root('migrations/') }));
  const nats = stack.use(await startTestNats());
  const registry = stack.use(await startFakeRegistry({ repositories, tags, packages, entries }));
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stack.defer(() => db.end());
  const pushPort = await freePort();
  const line = (what: string, words: string) => say(`    ${what.padEnd(44)} ${words}`);
  say(`${repositories} repositories with ${tags} tags of ${packages} packages each; ${loadOfMachine()}`);

  const service = (registries: object[], environment: Readonly<Record<string, string>> = {}) =>
    startNode([fileURLToPath(root('src/main.ts'))], {
      ...environment,
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.password,
      DATABASE_URL: database.url,
      REGISTRIES: JSON.stringify(registries.map((one) => ({ ...one, allow_http: true }))),
      PUSH_PORT: String(pushPort),
      PUSH_TOKEN: pushToken,
      LOG_LEVEL: 'warn',
      // As in the image.
      MALLOC_ARENA_MAX: '2',
    });

  /** Waits for a row that the service writes; returns it, and the seconds until then. */
  async function until(query: string, values: unknown[] = [], everyMs = 100) {
    const startedAt = performance.now();
    for (;;) {
      const { rows } = await db.query(query, values);
      const seconds = (performance.now() - startedAt) / 1_000;
      if (rows[0]) return { row: rows[0], seconds };
      if (seconds > 1_800) throw new Error(`no row appeared for ${query}`);
      await delay(everyMs);
    }
  }
  const scanned = (domain: string, since: Date) =>
    until('select last_scan_at as at from registry_polls where domain_name = $1 and last_scan_at > $2', [
      domain,
      since,
    ]);

  let idleCpu = Number.NaN;

  async function measureIndex(): Promise<void> {
    await using idle = service([]);
    await delay(6_000);
    const { now } = await memoryOf(idle.pid);
    const idleBefore = await cpuSecondsOf(idle.pid);
    await delay(pollSeconds * 1_000);
    idleCpu = (await cpuSecondsOf(idle.pid)) - idleBefore;
    await idle.kill('SIGTERM');

    const url = `${registry.origin}/stable`;
    const domain = url.replace('http://', '');
    await using running = service([
      { type: 'helm-repository', url, repositories: ['chart-0'], poll_interval_seconds: 10 },
    ]);
    const { row } = await scanned(domain, new Date(0));
    const { peak } = await memoryOf(running.pid);
    const { requests, indexBytes, indexSeconds } = await registry.counts();
    await scanned(domain, row.at);
    const conditional = (await registry.counts()).requests - requests;
    const plain = await plainIndex(`${url}/index.yaml`);
    line(
      `index of ${entries} entries, ${(indexBytes / 2 ** 20).toFixed(0)} MiB`,
      `${indexSeconds.toFixed(2)} s, RSS at most ${peak.toFixed(0)} MiB, ${now.toFixed(0)} without it`,
    );
    line('  plain download and digest', `${plain.toFixed(2)} s, ${(indexSeconds / plain).toFixed(1)} ×`);
    line('  an unchanged round', `${conditional} request`);
  }

  async function measureRounds(): Promise<void> {
    const url = registry.origin;
    const domain = url.replace('http://', '');
    await using running = service([{ url, poll_interval_seconds: pollSeconds, recheck_interval_seconds: 86_400 }]);
    const begun = performance.now();
    const { row } = await scanned(domain, new Date(0));
    const seconds = (performance.now() - begun) / 1_000;
    const { requests: ofFirst } = await registry.counts();
    const { n } = (await db.query('select count(*)::int as n from helm_charts')).rows[0];
    const plain = await plainScan(url);
    line(
      `first scan, ${n} charts`,
      `${seconds.toFixed(1)} s, RSS at most ${(await memoryOf(running.pid)).peak.toFixed(0)} MiB`,
    );
    line(
      '  plain download of the same',
      `${plain.toFixed(1)} s, ${(seconds / plain).toFixed(1)} ×; ${ofFirst} requests by Berth`,
    );

    // The round after the first scan may have begun before its end was seen.
    const { row: second } = await scanned(domain, row.at);
    const [before, cpuBefore] = [(await registry.counts()).requests, await cpuSecondsOf(running.pid)];
    await scanned(domain, second.at);
    const [after, cpu] = [(await registry.counts()).requests, (await cpuSecondsOf(running.pid)) - cpuBefore];
    const floor = await plainRound(url);
    const { now } = await memoryOf(running.pid);
    line(
      'an unchanged round',
      `${after - before} requests in ${pollSeconds} s, ${cpu.toFixed(2)} s of CPU, ${idleCpu.toFixed(2)} without it, RSS ${now.toFixed(0)} MiB`,
    );
    line(
      '  plain requests for its lists',
      `${floor.requests} requests, ${floor.cpu.toFixed(2)} s of CPU, ${((cpu - idleCpu) / floor.cpu).toFixed(1)} ×`,
    );

    for (const [kind, eventOf] of Object.entries(pushEvents)) {
      await measurePushes(`push event of ${kind}`, async (repository, tag, digest) => {
        const { path, body, headers } = eventOf({ host: domain, repository, tag, digest, token: pushToken });
        const { status } = await fetch(`http://127.0.0.1:${pushPort}${path}`, { method: 'POST', headers, body });
        if (status !== 202) throw new Error(`a push event of ${kind} was answered with ${status}`);
      });
    }
  }

  let pushers = 0;

  /** From the event of a push to the row of its chart. */
  async function measurePushes(
    what: string,
    send: (repository: string, tag: string, digest: string) => Promise<void>,
  ): Promise<void> {
    const times: number[] = [];
    pushers += 1;
    for (let count = 0; count < pushes; count += 1) {
      const [repository, tag] = [`charts/web-${count % repositories}`, `${pushers + 1}.0.${count}`];
      const digest = await registry.push(repository, tag);
      const startedAt = performance.now();
      await send(repository, tag, digest);
      await until('select 1 from helm_charts where image_tag = $1', [tag], 2);
      times.push(performance.now() - startedAt);
    }
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(0));
    line(`${what} to chart, ${pushes} pushes`, `p50 ${p50} ms, p99 ${p99} ms`);
  }

  async function measureEcr(): Promise<void> {
    await using ecr = await startEcr();
    await using _ = service([ecr.registry(registry.origin)], ecr.environment);
    await until('select 1 from registry_polls where domain_name like $1 and last_scan_at is not null', [
      '%amazonaws.com',
    ]);
    await measurePushes('event of ECR in its queue', ecr.pushed);
  }

  await measureIndex();
  await measureRounds();
  await measureEcr();
}

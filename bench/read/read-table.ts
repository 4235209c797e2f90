import { createClient, unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createFloorDatabase } from '../floors/floor-database.ts';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { startFloor } from '../floors/start-floor.ts';
import { measure } from './gateway-read.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { insertManyDeployments, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';

/** `BENCH_ROWS=1000` for a short run. */
const sizes = (process.env['BENCH_ROWS'] ?? '1000,10000,100000').split(',').map(Number);
const onSmallCluster = 20;
const aloneRounds = 30;
const name = 'table-';
const smallCluster = '0b8a6b0e-0000-4000-8000-00000000c1c1';

/**
 * Requests per second, and the time of a single request, for the usual reads with a growing number of deployments, and for floors
 * in the same run.
 */
export async function readTable(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(t) reads over 16 connections, and alone, with ${sizes.join(', ')} deployments; ${loadOfMachine()}`);
  const { token } = fixtures;
  const api = createClient({ baseUrl: stack.url, credential: () => ({ token }) });
  const target = targetOf(fixtures);
  await using db = await databaseOf(stack);
  const floors = await floorsOf(stack, say);
  try {
    await insertManyDeployments(
      db,
      { ...target, clusterId: smallCluster },
      { name: `${name}small-`, count: onSmallCluster, tasksOfEach: 1 },
    );
    let count = onSmallCluster;
    for (const size of sizes) {
      await insertManyDeployments(db, target, { name: `${name}${size}-`, count: size - count, tasksOfEach: 1 });
      count = size;
      const [some] = unwrap(await api.deployments.list({ query: { per_page: 1 } })).items;
      if (!some) throw new Error('the deployments are not listed');
      const paths = {
        'one deployment': `/deployments/${some.id}`,
        'auth/me': '/auth/me',
        'list of a cluster (20 rows)': `/deployments?cluster_id=${smallCluster}&per_page=50`,
        'by part of a name (50 rows)': `/deployments?name=${encodeURIComponent('ABLE-')}&per_page=50`,
        'first page (50 rows)': '/deployments?per_page=50',
        'sorted by name (50 rows)': '/deployments?sort=name&per_page=50',
      };
      say(`    ${size} deployments; ${loadOfMachine()}`);
      for (const [what, path] of Object.entries(paths)) {
        const target = { url: `${stack.url}/api/v2${path}`, headers: { 'x-service-token': token } };
        const { perSecond, p99, cpu } = await measure(target, say);
        const alone = await timesAlone(target);
        const ratios = floors.map((floor) => (perSecond / floor).toFixed(2)).join(' and ');
        say(
          `      ${what.padEnd(30)} ${perSecond.toFixed(0).padStart(6)} req/s   p99 ${p99} ms   alone p50 ${quantile(alone, 0.5).toFixed(1)} ms, p95 ${quantile(alone, 0.95).toFixed(1)}   ${ratios} × the floors`,
        );
        say(`        CPU of each: ${cpu}`);
      }
    }
  } finally {
    await removeManyDeployments(db, name);
  }
}

/** Requests per second of one hop and of two, with a row as large as a deployment. */
async function floorsOf(stack: Stack, say: (line: string) => void): Promise<number[]> {
  const databaseUrl = await createFloorDatabase(stack.databaseAdminUrl);
  const row = { id: smallCluster, text: 'x'.repeat(450) };
  const floors: number[] = [];
  for (const hops of [1, 2]) {
    await using floor = await startFloor({ databaseUrl, row, hops });
    const { perSecond, p99 } = await measure(floor, say);
    say(`    floor of ${hops} hop(s) and select(s) ${perSecond.toFixed(0).padStart(6)} req/s   p99 ${p99} ms`);
    floors.push(perSecond);
  }
  return floors;
}

async function timesAlone({ url, headers }: { url: string; headers: Record<string, string> }): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < aloneRounds; round += 1) {
    const began = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    times.push(performance.now() - began);
  }
  return times;
}

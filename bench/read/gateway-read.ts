import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import autocannon from 'autocannon';
import { createFloorDatabase } from '../floors/floor-database.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { startFloor } from '../floors/start-floor.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { cpuOfEach, platformCpu } from '../machine/platform-cpu.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const connections = 16;
const warmUpSeconds = 5;
const seconds = 10;

export interface Measured {
  perSecond: number;
  p99: number;
  /** CPU time per request, by process. */
  cpu: string;
}

interface Target {
  url: string;
  headers?: Record<string, string>;
}

export async function measure({ url, headers = {} }: Target, say: (line: string) => void): Promise<Measured> {
  await untilQuiet(say);
  await autocannon({ url, headers, connections, duration: warmUpSeconds });
  const cpuBefore = await platformCpu();
  const began = process.hrtime.bigint();
  const { requests, latency, non2xx, errors } = await autocannon({ url, headers, connections, duration: seconds });
  const cpu = cpuOfEach(requests.total, cpuBefore, await platformCpu());
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} requests failed`);
  // By the clock of the profiles.
  if (process.env['BENCH_PROFILES'])
    say(`    profiles from ${began / 1_000n} to ${process.hrtime.bigint() / 1_000n} µs: ${url}`);
  return { perSecond: requests.average, p99: latency.p99, cpu };
}

/** Reads one deployment by token through the gateway, compared with hand-written floors that have the same hops. */
export async function gatewayRead(
  stack: Stack,
  { api, token, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  const { id } = await createHello(api, sample, 'read');
  await waitForRunning(api, id);
  const row = unwrap(await api.deployments.get({ id }));
  const databaseUrl = await createFloorDatabase(stack.databaseAdminUrl);

  say(`\n(a) read of one deployment by token, ${connections} connections, ${seconds} s each; ${loadOfMachine()}`);
  const read = {
    url: `${stack.url}/api/v2/deployments/${id}`,
    headers: { 'x-service-token': token },
  };
  const berth = await measure(read, say);
  const floors: Measured[] = [];
  for (const hops of [1, 2]) {
    await using floor = await startFloor({ databaseUrl, row, hops });
    floors.push(await measure(floor, say));
  }
  // Measured twice: if the two differ, the machine became slower or faster in between.
  const again = await measure(read, say);

  const show = (name: string, { perSecond, p99 }: Measured) =>
    say(`    ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)} req/s   p99 ${p99} ms`);
  show('berth', berth);
  show('berth, once more', again);
  floors.forEach((floor, index) => show(`floor: fastify + ${index + 1} hop(s) + select(s)`, floor));
  const mean = (berth.perSecond + again.perSecond) / 2;
  floors.forEach((floor, index) => {
    const aim = index === 1 ? ' (aim ≥ 0.6)' : '';
    say(
      `    ratio to the floor of ${index + 1} hop(s): ${(mean / floor.perSecond).toFixed(2)} × its requests${aim}, p99 ${(berth.p99 / floor.p99).toFixed(2)} ×`,
    );
  });
}

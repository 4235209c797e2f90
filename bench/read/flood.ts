import { setTimeout as pause } from 'node:timers/promises';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import autocannon from 'autocannon';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const seconds = 15;
const others = { connections: 4, overallRate: 10 };
const tenant = { connections: 64 };
/** Twice the rate of the others; the tenant has used up its limit when the measurement begins. */
const requestsPerMinute = 1_200;
const usedUpWithinMs = 60_000;

/** The latency of other tenants while one sends as many requests as it can. */
export async function flood(
  stack: Stack,
  { api, token, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  const { id } = await createHello(api, sample, 'flooded');
  await waitForRunning(api, id);
  const bot = unwrap(await api.bots.create({ body: { display_name: 'flood' } }));
  const { created_token: tenantToken } = unwrap(await api.botTokens.create({ body: { bot_id: bot.id } }));
  const { url: natsUrl, passwords } = stack.nats;
  await using limited = await startGatewayProcess(
    { url: natsUrl, password: passwords['api-gateway'] },
    { REQUESTS_PER_MINUTE: String(requestsPerMinute) },
  );

  say(`\n(f) ${others.overallRate} reads a second of the others, ${seconds} s each; ${loadOfMachine()}`);
  await untilQuiet(say);
  const readBy = (url: string) =>
    autocannon({
      url: `${url}/api/v2/deployments/${id}`,
      headers: { 'x-service-token': token },
      duration: seconds,
      ...others,
    });
  const show = (name: string, { latency, errors, statusCodeStats = {} }: autocannon.Result) => {
    const refused = Object.entries(statusCodeStats).filter(([status]) => !status.startsWith('2'));
    const failed = [
      ...refused.map(([status, { count = 0 }]) => `${count} × ${status}`),
      ...(errors > 0 ? [`${errors} errors`] : []),
    ];
    say(`    ${name.padEnd(34)} p50 ${latency.p50} ms   p99 ${latency.p99} ms   ${failed.join(', ')}`);
  };

  show('alone', await readBy(stack.url));
  for (const [name, url, isLimited] of [
    ['a flood without a limit', stack.url, false],
    [`a flood, ${requestsPerMinute} a minute`, limited.url, true],
  ] as const) {
    const flooding = floodOf(`${url}/api/v2/deployments?per_page=50`, tenantToken);
    try {
      await (isLimited ? untilRefused(`${url}/api/v2/envs`, tenantToken) : pause(5_000));
      show(name, await readBy(url));
    } finally {
      flooding.stop();
    }
    const { '2xx': answered, statusCodeStats } = await flooding.result;
    say(`      the tenant: ${answered} answered, ${statusCodeStats?.['429']?.count ?? 0} got 429`);
  }
  unwrap(await api.bots.delete({ id: bot.id }));
}

function floodOf(url: string, token: string): { stop(): void; result: Promise<autocannon.Result> } {
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const options = { url, headers: { 'x-service-token': token }, duration: 600, ...tenant };
  const instance = autocannon(options, (error: unknown, result) =>
    error ? reject(error instanceof Error ? error : new Error('autocannon failed')) : resolve(result),
  );
  return { stop: () => instance.stop(), result: promise };
}

/** Until the tenant has reached its limit. */
async function untilRefused(url: string, token: string): Promise<void> {
  const end = performance.now() + usedUpWithinMs;
  while ((await fetch(url, { headers: { 'x-service-token': token } })).status !== 429) {
    if (performance.now() > end) throw new Error(`the tenant did not reach its limit within ${usedUpWithinMs} ms`);
    await pause(200);
  }
}

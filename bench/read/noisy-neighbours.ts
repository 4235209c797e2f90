import { setTimeout as pause } from 'node:timers/promises';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import autocannon from 'autocannon';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const seconds = 20;
const others = { connections: 4, overallRate: 20 };
/** The member sends as fast as it is answered. */
const memberConnections = 50;
const strangerRate = 5_000;
const mostRatio = 5;

/** Latency of other users, with the default limits, while a member of an env and a stranger send as much as they can. */
export async function noisyNeighbours(
  stack: Stack,
  { api, token, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  const { id } = await createHello(api, sample, 'quiet');
  await waitForRunning(api, id);
  const bot = unwrap(await api.bots.create({ body: { display_name: 'noisy' } }));
  const { created_token: member } = unwrap(await api.botTokens.create({ body: { bot_id: bot.id } }));
  const { url: natsUrl, passwords } = stack.nats;
  await using gateway = await startGatewayProcess({ url: natsUrl, password: passwords['api-gateway'] }, {});
  const { url } = gateway;

  say(`\nnoisy neighbours: ${others.overallRate} reads a second of the others, ${seconds} s each; ${loadOfMachine()}`);
  await untilQuiet(say);
  const read = () =>
    autocannon({
      url: `${url}/api/v2/deployments/${id}`,
      headers: { 'x-service-token': token },
      duration: seconds,
      ...others,
    });
  const show = (name: string, { latency, non2xx, errors }: autocannon.Result) =>
    say(`    ${name.padEnd(34)} p50 ${latency.p50} ms   p99 ${latency.p99} ms   ${non2xx} refused, ${errors} failed`);

  await read();
  const quiet = await read();
  show('quiet', quiet);
  const own = { 'x-service-token': member };
  const large = { method: 'PUT' as const, body: JSON.stringify({ nothing: 'x'.repeat(1_000_000) }) };
  const noise = [
    noiseOf({ url: `${url}/api/v2/deployments?per_page=50`, headers: own, connections: memberConnections }),
    noiseOf({
      url: `${url}/api/v2/deployments/${id}`,
      headers: { ...own, 'content-type': 'application/json' },
      connections: memberConnections,
      ...large,
    }),
    noiseOf({ url: `${url}/api/v2/openapi.json`, connections: 50, overallRate: strangerRate }),
  ];
  let noisy: autocannon.Result;
  try {
    await pause(2_000);
    noisy = await read();
  } finally {
    for (const { stop } of noise) stop();
  }
  show('a member and a stranger', noisy);
  for (const [index, who] of ['lists of the member', 'large bodies of the member', 'the stranger'].entries()) {
    const { statusCodeStats = {} } = (await noise[index]?.result) ?? {};
    const counts = Object.entries(statusCodeStats).map(([status, { count = 0 }]) => `${count} × ${status}`);
    say(`      ${who}: ${counts.join(', ')}`);
  }
  const ratio = noisy.latency.p99 / Math.max(1, quiet.latency.p99);
  say(`    p99 ${ratio.toFixed(1)} × the quiet one; ${mostRatio} × is allowed`);
  unwrap(await api.bots.delete({ id: bot.id }));
}

function noiseOf(options: autocannon.Options): { stop(): void; result: Promise<autocannon.Result> } {
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const instance = autocannon({ duration: 600, ...options }, (error: unknown, result) =>
    error ? reject(error instanceof Error ? error : new Error('autocannon failed')) : resolve(result),
  );
  return { stop: () => instance.stop(), result: promise };
}

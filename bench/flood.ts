import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import autocannon from 'autocannon';
import type { Fixtures } from './fixtures.ts';
import { loadOfMachine } from './load-of-machine.ts';
import { untilQuiet } from './until-quiet.ts';

const seconds = 15;
const warmUpSeconds = 5;
const others = { connections: 4, overallRate: 20 };
const tenant = { connections: 64 };
/** Enough for the others, and used up by the tenant in its warm-up. */
const requestsPerMinute = 3_000;

/** Latency of the others while one tenant sends what it can. */
export async function flood(
  stack: Stack,
  { api, token, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  const { id } = await createHello(api, sample, 'flooded');
  await waitForRunning(api, id);
  const bot = unwrap(await api.bots.create({ body: { display_name: 'flood' } }));
  const { created_token: flooding } = unwrap(await api.botTokens.create({ body: { bot_id: bot.id } }));
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
  const show = (name: string, { latency, non2xx, errors }: autocannon.Result) =>
    say(
      `    ${name.padEnd(34)} p50 ${latency.p50} ms   p99 ${latency.p99} ms${non2xx + errors > 0 ? `   ${non2xx + errors} failed` : ''}`,
    );

  show('alone', await readBy(stack.url));
  for (const [name, url] of [
    ['a flood without a limit', stack.url],
    [`a flood, ${requestsPerMinute} a minute`, limited.url],
  ] as const) {
    const flooded = autocannon({
      url: `${url}/api/v2/deployments?per_page=50`,
      headers: { 'x-service-token': flooding },
      duration: warmUpSeconds + seconds + 1,
      ...tenant,
    });
    await new Promise((resolve) => setTimeout(resolve, warmUpSeconds * 1_000));
    show(name, await readBy(url));
    const { '2xx': answered, statusCodeStats } = await flooded;
    say(`      of the tenant ${answered} answered, ${statusCodeStats?.['429']?.count ?? 0} got 429`);
  }
  unwrap(await api.bots.delete({ id: bot.id }));
}

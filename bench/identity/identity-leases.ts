import { unwrap } from '@berth/client';
import { tokenIdIn } from '@berth/contracts/resources/accounts/api-token';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import autocannon from 'autocannon';
import { Client } from 'pg';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { type Measured, measure } from '../read/gateway-read.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const revocations = 50;
const afterRevocation = 10_000;

/** A load generator would exceed the quota of one identity. */
const unlimited = { REQUESTS_PER_MINUTE: '0' };

type Say = (line: string) => void;

/**
 * The gain of identity leases for small requests and their cost for revocations, compared with a gateway without them on the same
 * platform.
 */
export async function identityLeases(stack: Stack, { api, token, sample }: Fixtures, say: Say): Promise<void> {
  const nats = { url: stack.nats.url, password: stack.nats.passwords['api-gateway'] };
  await using on = await startGatewayProcess(nats, unlimited);
  await using off = await startGatewayProcess(nats, { ...unlimited, IDENTITY_LEASE_MS: '0' });
  const { id } = await createHello(api, sample, 'leases');
  await waitForRunning(api, id);

  say(`\nidentity leases; ${loadOfMachine()}`);
  for (const path of ['/auth/me', `/deployments/${id}`]) {
    const at = (gateway: GatewayProcess) => ({
      url: `${gateway.url}/api/v2${path}`,
      headers: { 'x-service-token': token },
    });
    // Each is measured twice, in turns: if the two differ, the machine became slower or faster.
    const runs: Measured[] = [];
    for (const gateway of [on, off, on, off]) runs.push(await measure(at(gateway), say));
    const [on1 = none, off1 = none, on2 = none, off2 = none] = runs;
    const show = ({ perSecond, p99 }: Measured) => `${perSecond.toFixed(0)} req/s (p99 ${p99} ms)`;
    say(`    GET ${path.replace(id, '…')}: with ${show(on1)}, ${show(on2)}; without ${show(off1)}, ${show(off2)}`);
    say(
      `    ratio with to without: ${((on1.perSecond + on2.perSecond) / (off1.perSecond + off2.perSecond)).toFixed(2)} ×`,
    );
  }

  const tokens = await Promise.all(
    Array.from({ length: 2 * revocations + 1 }, async () => {
      const { created_token } = unwrap(await api.userTokens.create({ body: { user_id: null, name: 'bench' } }));
      return { text: created_token, path: `/user-tokens/${tokenIdIn(created_token)}` };
    }),
  );
  await untilQuiet(say);
  const times: Record<'with' | 'without', number[]> = { with: [], without: [] };
  await using list = await openList(stack);
  for (let n = 0; n < revocations; n++) {
    const [first, second] = [tokens[2 * n], tokens[2 * n + 1]];
    if (!first || !second) break;
    // Ensures that the gateway has a lease and has read an identity under it.
    for (let read = 0; read < 5; read++) await get(on, '/auth/me', token);
    times.with.push(await timedRevocation(off, first.path, token));
    await list.clear();
    times.without.push(await timedRevocation(off, second.path, token));
  }
  const show = (values: number[]) =>
    `p50 ${quantile(values, 0.5).toFixed(1)} ms, p95 ${quantile(values, 0.95).toFixed(1)} ms`;
  say(`    revocation of a token: with a lease held ${show(times.with)}; with none ${show(times.without)}`);
  say(`    ratio of the p50: ${(quantile(times.with, 0.5) / quantile(times.without, 0.5)).toFixed(2)} ×`);

  const last = tokens.at(-1);
  if (!last) return;
  for (let read = 0; read < 50; read++) await get(on, '/auth/me', last.text);
  await timedRevocation(off, last.path, token);
  const url = `${on.url}/api/v2/auth/me`;
  const load = { url, headers: { 'x-service-token': last.text }, connections: 16, amount: afterRevocation };
  const result = await autocannon(load);
  say(
    `    of ${result.requests.total} requests that started after a revocation was answered, ${result['2xx']} succeeded`,
  );
}

const none: Measured = { perSecond: Number.NaN, p99: Number.NaN, cpu: '' };

async function get(gateway: GatewayProcess, path: string, token: string): Promise<void> {
  const response = await fetch(`${gateway.url}/api/v2${path}`, { headers: { 'x-service-token': token } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await response.arrayBuffer();
}

async function timedRevocation(gateway: GatewayProcess, path: string, token: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${gateway.url}/api/v2${path}`, {
    method: 'DELETE',
    headers: { 'x-service-token': token },
  });
  if (response.status !== 204) throw new Error(`${path}: ${response.status}`);
  return performance.now() - started;
}

/** The gateways that auth lists as having leases. */
async function openList(stack: Stack) {
  const connectionString = Object.assign(new URL(stack.databaseAdminUrl), { pathname: '/berth' }).href;
  const client = new Client({ connectionString });
  await client.connect();
  return {
    clear: () => client.query('delete from auth.identity_leases'),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

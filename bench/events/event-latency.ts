import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { memoryOf } from '../machine/process-usage.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

/** The gateway's limit per identity. */
const streamsOfEach = 20;
const sizes = [1, 100, 1_000];
const changes = 50;
const betweenMs = 200;
const idleSeconds = 20;
/** Long enough for the last events of a round. */
const lastEventsMs = 3_000;

/** The time from a committed change to its event at a client, and the memory that idle streams take in the gateway. */
export async function eventLatency(
  stack: Stack,
  { api, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  const nats = { url: stack.nats.url, password: stack.nats.passwords['api-gateway'] };
  await using gateway = await startGatewayProcess(nats, { REQUESTS_PER_MINUTE: '0' });
  const tokens = await tokensFor(api, Math.max(...sizes) / streamsOfEach);

  say(`\n(n) events: ${changes} changes, one every ${betweenMs} ms; ${loadOfMachine()}`);
  await untilQuiet(say);
  // A first stream, so that the code it loads is not counted for the others.
  await closed(await openStreams(gateway, tokens, 1));
  const before = (await memoryOf(gateway.pid)).now;

  for (const size of sizes) {
    const streams = await openStreams(gateway, tokens, size);
    if (size === Math.max(...sizes)) {
      await pause(idleSeconds * 1_000);
      const { now } = await memoryOf(gateway.pid);
      const each = ((now - before) / size) * 1_024;
      say(`    ${size} idle streams: ${(now - before).toFixed(0)} MiB more (aim ≤ 100), ${each.toFixed(0)} KiB each`);
    }
    const versions: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      const body = { fa_icon: change % 2 === 0 ? 'cubes' : 'ship' };
      unwrap(await api.helmRegistries.update({ id: sample.registry.id, body }));
      await pause(betweenMs);
    }
    await pause(lastEventsMs);
    const samples = streams.flatMap(({ received }) => received.map(({ ms }) => ms));
    for (const { received } of streams) versions.push(...received.map(({ version }) => version));
    const p = (q: number) => `${quantile(samples, q).toFixed(0)} ms`;
    say(
      `    ${String(size).padStart(5)} streams: change → client p50 ${p(0.5)}, p95 ${p(0.95)} (aim ≤ 250), p99 ${p(0.99)}; ${samples.length} of ${size * changes} events, ${new Set(versions).size} of ${changes} changes`,
    );
    await closed(streams);
  }
}

interface Stream {
  response: IncomingMessage;
  /** The events so far, with the time from each change to its arrival. */
  received: { version: number; ms: number }[];
}

async function tokensFor(api: Client, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const bot = unwrap(await api.bots.create({ body: { display_name: `events ${index}` } }));
    tokens.push(unwrap(await api.botTokens.create({ body: { bot_id: bot.id } })).created_token);
  }
  return tokens;
}

async function openStreams(gateway: GatewayProcess, tokens: readonly string[], count: number): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let index = 0; index < count; index += 1) {
    const token = tokens[Math.floor(index / streamsOfEach)] ?? '';
    streams.push(await openStream(gateway, token));
  }
  return streams;
}

async function openStream({ url }: GatewayProcess, token: string): Promise<Stream> {
  const sent = httpGet(`${url}/api/v2/events?tables=helm_registries`, {
    agent: false,
    headers: { 'x-service-token': token },
  });
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response || response.statusCode !== 200) throw new Error(`a stream was refused: ${response?.statusCode}`);
  // The stream is cut off at the end, which is not a failure.
  response.on('error', () => undefined);
  const received: Stream['received'] = [];
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.timeOrigin + performance.now();
    // A version is the time of the change in microseconds (docs/decisions/0006).
    for (const [, version] of text.matchAll(/"version":(\d+)/g)) {
      received.push({ version: Number(version), ms: now - Number(version) / 1_000 });
    }
  });
  return { response, received };
}

async function closed(streams: readonly Stream[]): Promise<void> {
  for (const { response } of streams) response.destroy();
  // Waits until the gateway has released the streams.
  await pause(1_000);
}

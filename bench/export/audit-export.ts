import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '@berth/devstack';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { memoryOf, treeOf } from '../machine/process-usage.ts';
import { quantile } from '../machine/quantile.ts';
import { scaled } from '../platform/scaled.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const events = scaled(1_000_000);
const aloneSeconds = 10;
const slowSeconds = 30;
const slowBytesPerSecond = 256 * 1_024;
const betweenReadsMs = 50;
const sampleMs = 100;

/** Memory and duration of an export of the audit log, and its effect on other requests. */
export async function auditExport(stack: Stack, { token }: Fixtures, say: (line: string) => void): Promise<void> {
  const { url, passwords } = stack.nats;
  await using gateway = await startGatewayProcess(
    { url, password: passwords['api-gateway'] },
    { REQUESTS_PER_MINUTE: '0' },
  );
  await insertEvents(stack);
  const target = { url: gateway.url, token, pids: { gateway: gateway.pid, auth: await pidOfAuth() } };

  say(`\n(x) export of ${events} audit events; ${loadOfMachine()}`);
  await untilQuiet(say);
  await during('nothing else', target, () => pause(aloneSeconds * 1_000), say);
  const slow = await during(
    `a reader of ${slowBytesPerSecond / 1_024} KiB/s, ${slowSeconds} s`,
    target,
    () => readExport(target, slowSeconds),
    say,
  );
  say(`      ${slow.lines} lines`);
  const started = performance.now();
  const whole = await during('a reader at full speed', target, () => readExport(target, Number.POSITIVE_INFINITY), say);
  const seconds = (performance.now() - started) / 1_000;
  say(
    `      ${whole.lines} lines, ${(whole.bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s: ${(whole.lines / seconds).toFixed(0)} events a second`,
  );
}

interface Target {
  url: string;
  token: string;
  pids: Record<string, number>;
}

/** auth stores half of them and tasks the others, so each page is merged from both. */
async function insertEvents(stack: Stack): Promise<void> {
  await using database = await databaseOf(stack);
  for (const [turn, schema] of ['auth', 'tasks'].entries()) {
    await database.query(
      `insert into ${schema}.audit_log (at, actor_kind, actor_id, action, resource, object_id, compares, details, request_id)
       select now() - (2 * n + ${turn}) * interval '10 ms', 'user', ('0b8a6b0e-0000-4000-8000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'update', 'deployments',
         gen_random_uuid(), true, jsonb_build_object('name', jsonb_build_array('before ' || n, 'after ' || n)), md5('request ' || n)
       from generate_series(1, ${Math.ceil(events / 2)}) n`,
    );
    await database.query(`analyze ${schema}.audit_log`);
  }
}

async function pidOfAuth(): Promise<number> {
  for (const pid of await treeOf(process.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('services/auth/src/main.ts')) return pid;
  }
  throw new Error('auth does not run');
}

/** Reads to the end, or slowly for this many seconds. */
async function readExport({ url, token }: Target, forSeconds: number): Promise<{ lines: number; bytes: number }> {
  const sent = httpGet(`${url}/api/v2/audit-events/export`, { agent: false, headers: { 'x-service-token': token } });
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response || response.statusCode !== 200) throw new Error(`the export was refused: ${response?.statusCode}`);
  const isSlow = Number.isFinite(forSeconds);
  const end = performance.now() + forSeconds * 1_000;
  let [lines, bytes] = [0, 0];
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines += 1;
    if (performance.now() > end) break;
    if (isSlow) await pause((part.length / slowBytesPerSecond) * 1_000);
  }
  return { lines, bytes };
}

/** Reads of another caller one after the other, and the peak memory, while `work` runs. */
async function during<T>(
  name: string,
  target: Target,
  work: () => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const over = new AbortController();
  const taken: number[] = [];
  const most = new Map<string, number>();
  const before = await Promise.all(Object.values(target.pids).map(async (pid) => (await memoryOf(pid)).now));
  const reading = (async () => {
    while (!over.signal.aborted) {
      const started = performance.now();
      const response = await fetch(`${target.url}/api/v2/auth/me`, { headers: { 'x-service-token': target.token } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`somebody else got ${response.status}`);
      taken.push(performance.now() - started);
      await pause(betweenReadsMs);
    }
  })();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      for (const [process, pid] of Object.entries(target.pids))
        most.set(process, Math.max(most.get(process) ?? 0, (await memoryOf(pid)).now));
      await pause(sampleMs);
    }
  })();
  const result = await work().finally(() => over.abort());
  await Promise.all([reading, sampling]);
  const memory = [...most].map(
    ([process, mib], index) => `${process} ${before[index]?.toFixed(0)} → ${mib.toFixed(0)} MiB`,
  );
  say(
    `    ${name.padEnd(34)} auth/me p50 ${quantile(taken, 0.5).toFixed(1)} ms, p99 ${quantile(taken, 0.99).toFixed(1)} ms; at most ${memory.join(', ')}`,
  );
  return result;
}

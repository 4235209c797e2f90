import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { type AuditEvent, auditEvents } from '@berth/contracts/resources/audit/audit-events';
import { AppError } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { problemOf } from '../support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const path = '/api/v2/audit-events/export';

let gateway: TestGateway;
let active: Set<string>;
let reads: number;
/** If set, each page answers with it. */
let refusal: AppError | undefined;

/** The audit log is endless, in pages of 64 KiB. */
beforeEach(() => start(120_000));

async function start(ms: number): Promise<void> {
  gateway = await startTestGateway({ slowReaderMs: 3_000, auditExports: { total: 3, perIdentity: 2, ms } });
  [active, reads, refusal] = [new Set(Object.keys(sampleIdentities)), 0, undefined];
  await gateway.serve(
    'auth',
    testAuth(active),
    some(auditEvents, {
      list: async ({ query }) => {
        reads += 1;
        if (refusal) throw refusal;
        return { items: [event(query.before ?? '')], next: String(reads) };
      },
    }),
  );
}
afterEach(() => gateway[Symbol.asyncDispose]());

const event = (before: string): AuditEvent => ({
  id: '0b8a6b0e-0000-4000-8000-000000000001',
  at: '2026-01-02T03:04:05.678Z',
  service: 'auth',
  actor: null,
  operation: before,
  object: { resource: 'envs', id: null },
  env_id: null,
  result: 'done',
  times: 1,
  before: null,
  after: null,
  details: { text: 'x'.repeat(64 * 1024) },
  request_id: null,
});

const open = async (token = 'siteAdmin'): Promise<Response> =>
  gateway.get(path, { headers: { 'x-service-token': token } });

/** The reasons from the log why streams were cut off. */
const reasons = () =>
  gateway
    .logged()
    .filter(({ msg }) => msg === 'stream cut short')
    .map(({ err }) => (err as { message: string }).message);

test('an export consists of lines of JSON, sent as they are read', async () => {
  const response = await open();

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.split('\n').length > 3) break;
  }
  const lines = text.split('\n').slice(0, 3);
  expect(lines.map((line) => (JSON.parse(line) as AuditEvent).operation)).toEqual(['', '1', '2']);
});

test('a refused export is a problem instead of a stream', async () => {
  expect(await problemOf(await fetch(`${gateway.url}${path}`))).toMatchObject({ status: 401 });
  expect(await problemOf(await open('envUser'))).toMatchObject({ status: 403 });
  expect(await problemOf(await gateway.get(`${path}?per_page=3`))).toMatchObject({ status: 400 });
  refusal = new AppError('unavailable', 'A part of the audit log is away');
  expect(await problemOf(await open())).toMatchObject({ status: 503 });
});

test('an export reads only as fast as its client, and is cut off if the client receives nothing', async () => {
  const request = get({ port: gateway.port, host: '127.0.0.1', path, headers: { 'x-service-token': 'siteAdmin' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();

  response.on('error', () => undefined);
  const cut = new Promise((resolve) => response.once('close', resolve));
  await expect.poll(() => reasons().length).toBe(1);
  expect(reads).toBeLessThan(500);
  response.resume();
  await cut;
  expect(response.complete).toBe(false);
});

test('an export is cut off when its caller is deactivated', async () => {
  const response = await open('envAdmin');
  active.delete('envAdmin');

  await expect(response.text()).rejects.toThrow('terminated');
  expect(reasons()).toEqual(['This user is not active']);
});

test('an export is cut off when its caller loses the needed role', async () => {
  const response = await open('envAdmin');
  refusal = new AppError('forbidden', 'Only a site admin, or an admin of an env may do this');

  await expect(response.text()).rejects.toThrow('terminated');
  expect(reasons()).toEqual([refusal.message]);
});

test('an export survives a short outage, and is cut off at its time limit', async () => {
  await gateway[Symbol.asyncDispose]();
  await start(4_000);
  const started = performance.now();
  const response = await open();
  refusal = new AppError('unavailable', 'A part of the audit log is away');
  setTimeout(() => {
    refusal = undefined;
  }, 300);
  const readsBefore = reads;

  await expect(response.text()).rejects.toThrow('terminated');

  expect(reasons()).toEqual(['The export took too long']);
  expect(performance.now() - started).toBeGreaterThan(3_900);
  expect(reads).toBeGreaterThan(readsBefore + 2);
});

test('an identity may have two exports at a time, all identities three', async () => {
  const opened = [await open(), await open()];
  expect(await problemOf(await open())).toMatchObject({ status: 429 });
  opened.push(await open('envAdmin'));
  expect(await problemOf(await open('envAdmin'))).toMatchObject({ status: 503 });

  for (const { body } of opened) await body?.cancel();
  await vi.waitFor(async () => {
    const next = await open();
    await next.body?.cancel();
    expect(next.status).toBe(200);
  });
});

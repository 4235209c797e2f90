import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '@berth/contracts/errors';
import { createLog } from '@berth/service/logging/create-log';
import { boat, boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../../bus.ts';
import { etagOf } from '../etag.ts';
import { limits } from '../../protocol/limits.ts';
import { implement } from '../implement.ts';

const { list, get, update, echo, fail, wait } = boats.operations;
const observed = { aborts: 0 };
let logged: string[] = [];
const log = createLog('test', {
  destination: new Writable({
    write(chunk: Buffer, _, done) {
      logged.push(chunk.toString());
      done();
    },
  }),
});

let nats: TestNats;
let auth: Bus;
let gateway: Bus;
let tasks: Bus;

beforeAll(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, gateway, tasks] = await Promise.all([
    connectTestBus(nats, 'auth', { log }),
    connectTestBus(nats, 'api-gateway'),
    connectTestBus(nats, 'tasks'),
  ]);
  auth.serve(implement(boats, boatHandlers(observed)));
  await auth.listening();
});

afterAll(async () => {
  await Promise.all([auth, gateway, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  logged = [];
});

const as = async (name: keyof typeof sampleIdentities) => ({
  identityToken: await identityToken(sampleIdentities[name], 'auth'),
});
const errorsLogged = () => logged.filter((line) => line.includes('"level":"error"'));

describe('a call', () => {
  test('returns the answer of the owner, whose handler gets a checked and coerced request', async () => {
    const answer = await gateway.call(list, { query: { page: '2' } }, await as('siteAdmin'));

    expect(answer).toEqual([{ ...boat, name: 'page 2' }]);
  });

  test('carries a caller that cannot be forged, and the request id', async () => {
    const answer = await tasks.call(echo, { body: { text: 'ä €' } }, { requestId: 'r-1' });

    expect(answer).toEqual({ text: 'ä €', caller: 'tasks', request_id: 'r-1' });
  });

  test('gets a new request id if no header can carry the given one', async () => {
    const answer = await tasks.call(echo, { body: { text: '' } }, { requestId: 'a\r\nBerth-Identity: x' });

    expect(answer.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is unauthenticated without an identity, before its fields are checked', async () => {
    await expect(gateway.call(update, { id: 'nonsense', body: { name: '' } })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('is unauthenticated with an identity token signed for another service', async () => {
    const copied = { identityToken: await identityToken(sampleIdentities.siteAdmin, 'registry-scan') };

    await expect(gateway.call(list, {}, copied)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('passes on the identity token that the calling service received, and no other', async () => {
    const given = { identityToken: await identityToken(sampleIdentities.siteAdmin, 'tasks') };
    const copied = await as('siteAdmin');
    const request = { body: { text: '' } };

    await expect(tasks.call(echo, request, given)).resolves.toMatchObject({ caller: 'tasks' });
    await expect(tasks.call(echo, request, copied)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('is unauthenticated with a foreign token', async () => {
    const call = gateway.call(list, {}, { identityToken: `${(await as('siteAdmin')).identityToken}x` });

    await expect(call).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('is refused for wrong fields with path and rule, unless no row could permit it', async () => {
    const wrong = { query: { page: 'one', colour: 'red' } as never };
    await expect(gateway.call(list, wrong, await as('envUser'))).rejects.toMatchObject({ code: 'forbidden' });
    const call = gateway.call(list, wrong, await as('siteAdmin'));

    await expect(call).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path: 'query.page' }, { path: 'query.colour' }],
    });
  });

  test('is forbidden by a rule on the identity, and the error names the permitted roles', async () => {
    await expect(gateway.call(list, {}, await as('envAdmin'))).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Only a site admin may do this',
    });
  });

  test('is forbidden by a rule on the row when the handler calls permit', async () => {
    const call = gateway.call(update, { id: boat.id, body: { name: 'Bea' } }, await as('envUser'));

    await expect(call).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is not answered if the handler forgets permit', async () => {
    const call = gateway.call(get, { id: crypto.randomUUID() }, await as('siteAdmin'));

    await expect(call).rejects.toMatchObject({ code: 'internal' });
    expect(errorsLogged()).toEqual([expect.stringContaining('boats.get answered without showing its row')]);
  });

  test('is refused with a stale If-Match, and accepted with a current one or *', async () => {
    const change = async (ifMatch: string) =>
      gateway.call(update, { id: boat.id, body: { name: 'Bea' } }, { ...(await as('envAdmin')), ifMatch });

    await expect(change('"old"')).rejects.toMatchObject({ code: 'stale' });
    await expect(change('"no header\r\n"')).rejects.toMatchObject({ code: 'stale' });
    await expect(change(`"old", ${etagOf(boats, boat)}`)).resolves.toMatchObject({ name: 'Bea' });
    await expect(change('*')).resolves.toMatchObject({ name: 'Bea' });
  });

  test('is not answered if it changes a row by id without checkIfMatch', async () => {
    const call = gateway.call(update, { id: boat.id, body: { name: 'unchecked' } }, await as('envAdmin'));

    await expect(call).rejects.toMatchObject({ code: 'internal' });
    expect(errorsLogged()).toEqual([expect.stringContaining('boats.update changed a row without checkIfMatch()')]);
  });

  test('is not answered if it changes a row outside of updateRow and its siblings', async () => {
    const call = gateway.call(update, { id: boat.id, body: { name: 'unrecorded' } }, await as('envAdmin'));

    await expect(call).rejects.toMatchObject({ code: 'internal' });
    expect(errorsLogged()).toEqual([expect.stringContaining('boats.update changed rows without createRow()')]);
  });
});

describe('a handler', () => {
  test('sends the message of an AppError and logs nothing', async () => {
    await expect(tasks.call(fail, { body: { how: 'known' } })).rejects.toMatchObject({
      code: 'conflict',
      message: 'In use by 3 sailors',
    });
    expect(errorsLogged()).toEqual([]);
  });

  test.for(['bug', 'sync bug'] as const)('hides the message of a %s from the caller and logs it once', async (how) => {
    const failure: unknown = await tasks.call(fail, { body: { how } }).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('hunter2');
    expect(errorsLogged()).toHaveLength(1);
    await expect(tasks.call(echo, { body: { text: 'next' } })).resolves.toMatchObject({ text: 'next' });
  });

  test('never sends a field that is not in the contract', async () => {
    await expect(tasks.call(fail, { body: { how: 'wrong reply' } })).rejects.toMatchObject({ code: 'internal' });
    expect(logged.join()).not.toContain('hunter2');
  });

  test('sends a too_large error instead of an answer that is too large', async () => {
    await expect(tasks.call(fail, { body: { how: 'huge reply' } })).rejects.toMatchObject({ code: 'too_large' });
  });

  test('cuts the long message of a refusal between characters', async () => {
    const refused = await tasks.call(fail, { body: { how: 'huge refusal' } }).catch((error: unknown) => error);

    expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringMatching(/^must be one of 😀+…$/u) });
    const { errors = [] } = refused as AppError;
    expect(errors).toHaveLength(50);
    expect(errors[0]).toMatchObject({
      path: expect.stringMatching(/^body\.k+…$/),
      message: expect.stringMatching(/^must be one of 😀+…$/u),
    });
    expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(100_000);
  });
});

describe('the deadline of a call', () => {
  test('is passed on, aborts the handler and ends the call', async () => {
    const before = observed.aborts;

    await expect(tasks.call(wait, { body: { ms: 60_000 } }, { deadlineMs: 150 })).rejects.toMatchObject({
      code: 'timeout',
    });

    await expect.poll(() => observed.aborts).toBe(before + 1);
  });

  test('is two seconds between services', async () => {
    const { remaining_ms: remaining } = await tasks.call(wait, { body: { ms: 0 } });

    expect(remaining).toBeGreaterThan(1_500);
    expect(remaining).toBeLessThanOrEqual(2_000);
  });

  test('prevents requests from being sent when little of it is left', async () => {
    await expect(tasks.call(wait, { body: { ms: 0 } }, { deadlineMs: 4 })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('is ignored once the caller gives up', async () => {
    const call = tasks.call(wait, { body: { ms: 1_000 } }, { signal: AbortSignal.timeout(20) });

    await expect(call).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('size and load', () => {
  test('a request above the size limit is not sent', async () => {
    const text = 'x'.repeat(2 * 1024 * 1024 + 1);

    await expect(tasks.call(echo, { body: { text } })).rejects.toMatchObject({ code: 'too_large' });
  });

  test('a request of 1 MiB that JSON escapes passes', async () => {
    const text = '"'.repeat(1024 * 1024 - 100);

    await expect(tasks.call(echo, { body: { text } })).resolves.toMatchObject({ text });
  });

  test('requests beyond the limit in flight are refused at once', async () => {
    const calls = Array.from({ length: limits.requestsInFlight + 50 }, () =>
      tasks.call(wait, { body: { ms: 3_000 } }, { deadlineMs: 30_000 }),
    );

    const outcomes = await Promise.allSettled(calls);

    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(50);
    expect(refused.length).toBeLessThan(100);
    expect(refused[0]).toMatchObject({ reason: { code: 'unavailable' } });
  });
});

describe('an owner', () => {
  test('is unavailable long before the deadline if it is not running, after one retry of idempotent operations', async () => {
    const lonely = await startTestNats({ resources: [boats] });
    const bus = await connectTestBus(lonely, 'tasks');
    try {
      const options = { deadlineMs: 60_000 };
      const started = performance.now();
      await expect(bus.call(wait, { body: { ms: 0 } }, options)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(bus.call(echo, { body: { text: '' } }, options)).rejects.toMatchObject({ code: 'unavailable' });
      expect(performance.now() - started).toBeLessThan(options.deadlineMs / 2);
      await expect(bus.isAnswering('auth')).resolves.toBe(false);
    } finally {
      await bus[Symbol.asyncDispose]();
      await lonely[Symbol.asyncDispose]();
    }
  });

  test('answers the readiness check of the gateway while it is running', async () => {
    await expect(gateway.isAnswering('auth')).resolves.toBe(true);
  });
});

import { connect, headers, type NatsConnection, nuid } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../../bus.ts';
import { implement } from '../implement.ts';
import { rpcSubject } from '../../protocol/subjects.ts';

const { echo } = boats.operations;
const subject = rpcSubject(echo, 'tasks');

let nats: TestNats;
let auth: Bus;
let tasks: Bus;
/** A client with the credentials of `tasks` that does not use our library. */
let raw: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, tasks, raw] = await Promise.all([
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'tasks'),
    connect({ servers: nats.url, user: 'tasks', pass: nats.password, inboxPrefix: '_INBOX_tasks.auth' }),
  ]);
  auth.serve(implement(boats, boatHandlers({ aborts: 0 })));
  await auth.listening();
});

afterAll(async () => {
  await raw?.close();
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

async function answerTo(payload: string | Uint8Array, given: Record<string, string> = {}) {
  const sent = headers();
  for (const [name, value] of Object.entries(given)) sent.set(name, value);
  const reply = await raw.request(subject, payload, { timeout: 20_000, headers: sent });
  return reply.json<{ ok: boolean; error?: { code: string; detail: string } }>();
}

describe('a hostile request', () => {
  // After any hostile request, the next good one must be answered.
  afterEach(async () => {
    const { text } = await tasks.call(echo, { body: { text: 'good' } }, { deadlineMs: 20_000 });
    if (text !== 'good') throw new Error('the good request got another answer');
  });

  test.for([
    ['empty', ''],
    ['not JSON', '{"body":'],
    ['not text', new Uint8Array([0xff, 0xfe, 0x00, 0x80])],
    ['not an object', '"text"'],
    ['null', 'null'],
    ['of another shape', '{"body":{"text":5}}'],
    ['with unknown fields', '{"body":{"text":""},"identity":{"kind":"user","is_admin":true}}'],
    ['with __proto__', '{"body":{"text":"","__proto__":{"is_admin":true}}}'],
    ['nested beyond measure', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['of 1 MiB', `{"body":{"text":"","more":"${'x'.repeat(1024 * 1024)}"}}`],
  ] as const)('a message that is %s is answered as invalid', async ([, payload]) => {
    await expect(answerTo(payload)).resolves.toMatchObject({ ok: false, error: { code: 'invalid' } });
  });

  test('a message above the size limit is answered with too_large', async () => {
    const payload = `{"body":{"text":"${'x'.repeat(2 * 1024 * 1024)}"}}`;

    await expect(answerTo(payload)).resolves.toMatchObject({ ok: false, error: { code: 'too_large' } });
  });

  test.for([
    ['a malformed trace context', { traceparent: '00-zz-zz-01', tracestate: '=,=' }],
    ['a request id with spaces', { 'Berth-Request-Id': 'a b <script>' }],
    ['an empty identity', { 'Berth-Identity': '' }],
  ] as const)('a request with %s is answered as if it had none', async ([, given]) => {
    await expect(answerTo('{"body":{"text":"x"}}', given)).resolves.toMatchObject({ ok: true });
  });

  test.for([
    ['a deadline that is not a number', { 'Berth-Deadline-Ms': 'soon' }, 'invalid'],
    ['an endless deadline', { 'Berth-Deadline-Ms': '1e400' }, 'invalid'],
    ['a deadline that is over', { 'Berth-Deadline-Ms': '-1' }, 'timeout'],
    ['an identity that is not a token', { 'Berth-Identity': 'admin' }, 'unauthenticated'],
    ['an identity without signature', { 'Berth-Identity': 'eyJhbGciOiJub25lIn0.e30.' }, 'unauthenticated'],
  ] as const)('a request with %s is refused', async ([, given, code]) => {
    await expect(answerTo('{"body":{"text":"x"}}', given)).resolves.toMatchObject({ error: { code } });
  });

  test.for([
    'state_v1.auth.boats.1',
    '_INBOX_api-gateway.auth.x.1',
    '_INBOX_tasks.cluster-sync.x.1',
    '_INBOX_tasks.authx.1',
    '_INBOX_tasks.auth',
  ])('a request with the reply subject %s gets no answer there', async (reply) => {
    const everything = await connect({ servers: nats.url, user: nats.operator, pass: nats.password });
    const received: string[] = [];
    const subscription = everything.subscribe(reply);
    void (async () => {
      for await (const { subject: where } of subscription) received.push(where);
    })();
    await everything.flush();

    raw.publish(subject, '{"body":{"text":"x"}}', { reply });
    raw.publish(subject, '{"body":{"text":"x"}}');
    await raw.flush();
    await tasks.call(echo, { body: { text: 'after it' } });

    await everything.flush();
    expect(received).toEqual([]);
    await everything.close();
  });

  test('a burst of a thousand hostile requests does not prevent the next answer', async () => {
    for (let n = 0; n < 1_000; n += 1) raw.publish(subject, '}', { reply: `_INBOX_tasks.auth.x.${nuid.next()}` });
    await raw.flush();

    await expect(tasks.call(echo, { body: { text: 'good' } })).resolves.toMatchObject({ text: 'good' });
  });
});

import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../../bus.ts';
import { implement } from '../implement.ts';
import { operatorsInbox } from '../../protocol/subjects.ts';

let nats: TestNats;
let auth: Bus;
let tasks: Bus;
let operator: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, tasks, operator] = await Promise.all([
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'tasks'),
    connect({ servers: nats.url, user: nats.operator, pass: nats.password, inboxPrefix: operatorsInbox }),
  ]);
  auth.serve(implement(boats, boatHandlers({ aborts: 0 })));
  await auth.listening();
});

afterAll(async () => {
  await operator?.close();
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const request = async (subject: string) => (await operator.request(subject, '', { timeout: 20_000 })).json<unknown>();

test('every service answers the discovery ping for all services', async () => {
  const names = new Set<string>();

  const answers = await operator.requestMany('$SRV.PING', '', { maxWait: 20_000, strategy: 'count', maxMessages: 2 });
  for await (const answer of answers) names.add(answer.json<{ name: string }>().name);

  expect([...names].sort()).toEqual(['auth', 'tasks']);
});

test('discovery info lists the endpoints with subject and queue', async () => {
  const info = await request('$SRV.INFO.auth');

  expect(info).toMatchObject({ type: 'io.nats.micro.v1.info_response', name: 'auth', version: expect.any(String) });
  const { endpoints } = info as { endpoints: { name: string; subject: string; queue_group: string }[] };
  expect(endpoints).toContainEqual({
    name: 'boats-echo',
    subject: 'rpc.v1.auth.*.boats.echo',
    queue_group: 'auth',
    metadata: {},
  });
});

test('discovery stats count requests and errors', async () => {
  await tasks.call(boats.operations.echo, { body: { text: '' } });
  await tasks.call(boats.operations.fail, { body: { how: 'known' } }).catch(() => undefined);

  const { endpoints } = (await request('$SRV.STATS.auth')) as { endpoints: { name: string }[] };

  expect(endpoints).toContainEqual(expect.objectContaining({ name: 'boats-echo', num_requests: 1, num_errors: 0 }));
  expect(endpoints).toContainEqual(expect.objectContaining({ name: 'boats-fail', num_requests: 1, num_errors: 1 }));
});

import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerName } from '../contracts/contract.ts';
import { identities } from '../contracts/identities.ts';
import { connectTestBus } from '../testing/test-bus.ts';
import { startTestNats, type TestNats } from '../testing/test-nats.ts';
import type { Bus } from './bus.ts';
import { rpcSubject } from './subjects.ts';

let nats: TestNats;
let gateway: Bus;
const open: NatsConnection[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await connectTestBus(nats, 'api-gateway');
});
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  await gateway?.[Symbol.asyncDispose]();
  await nats?.[Symbol.asyncDispose]();
});

/** The NATS credentials of a part, in the hands of somebody else. */
async function as(user: CallerName): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url, user, pass: nats.password, inboxPrefix: `_INBOX_${user}` });
  open.push(connection);
  return connection;
}

describe('a service that was taken over', () => {
  test('cannot answer for another one, even where it knows the subject of the reply', async () => {
    const [auth, thief] = await Promise.all([as('auth'), as('registry-scan')]);
    const forged = {
      ok: true,
      value: { identity: { kind: 'bot', id: crypto.randomUUID() }, identity_token: 'stolen' },
    };
    auth.subscribe(rpcSubject(identities.operations.authenticate, '*'), {
      queue: 'auth',
      callback: (_, { reply = '' }) => thief.publish(reply, JSON.stringify(forged)),
    });
    await auth.flush();

    const asked = gateway.call(
      identities.operations.authenticate,
      { body: { credential: { token: 'x' }, audience: 'tasks' } },
      { deadlineMs: 300 },
    );

    await expect(asked).rejects.toMatchObject({ code: 'timeout' });
  });
});

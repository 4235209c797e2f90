import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityCaches } from '@berth/contracts/resources/accounts/identity-leases';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../../bus.ts';
import { implement } from '../implement.ts';

const { forget } = identityCaches.operations;

let nats: TestNats;
let auth: Bus;
beforeAll(async () => {
  nats = await startTestNats();
  auth = await connectTestBus(nats, 'auth');
});
afterAll(async () => {
  await auth?.[Symbol.asyncDispose]();
  await nats?.[Symbol.asyncDispose]();
});

async function replica() {
  const bus = await connectTestBus(nats, 'api-gateway');
  const received = { count: 0 };
  bus.serve(
    implement(identityCaches, {
      forget: async () => {
        received.count += 1;
        return {};
      },
    }),
  );
  await bus.listening();
  return { bus, received };
}

test('an operation addressed to one process always reaches that replica and no other', async () => {
  const [one, other] = [await replica(), await replica()];
  await using _one = one.bus;
  await using _other = other.bus;

  for (let n = 0; n < 10; n++) await auth.call(forget, {}, { process: one.bus.instance });

  expect([one.received.count, other.received.count]).toEqual([10, 0]);
});

test('an operation addressed to a process that has ended is unavailable', async () => {
  const { bus } = await replica();
  await using _other = (await replica()).bus;
  await bus[Symbol.asyncDispose]();

  await expect(auth.call(forget, {}, { process: bus.instance })).rejects.toMatchObject({ code: 'unavailable' });
});

test.for([undefined, '*', 'a.b', '>'])('an operation addressed to one process is not sent to %s', async (process) => {
  await expect(auth.call(forget, {}, { process })).rejects.toThrow('is for one process');
});

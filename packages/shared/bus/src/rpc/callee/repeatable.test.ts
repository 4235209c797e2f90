import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { envAdmin } from '@berth/contracts/access/rules';
import { operation, resource } from '@berth/contracts/definition/contract';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../../bus.ts';
import type { Repeatable } from '../handler.ts';
import { implement } from '../implement.ts';

const Dock = z.strictObject({ env_id: z.uuid(), length: z.number() });
const creation = {
  summary: 'Builds one',
  allow: envAdmin,
  body: z.strictObject({ length: z.coerce.number() }),
  response: Dock,
} as const;

const docks = resource('docks', {
  owner: 'auth',
  singular: 'dock',
  operations: {
    create: operation({ ...creation, http: 'POST /docks' }),
    forgetful: operation({ ...creation, http: 'POST /docks/forgetful' }),
    update: operation({ ...creation, http: 'PUT /docks/:id' }),
  },
});

const { create, forgetful, update } = docks.operations;
const { envId: env_id } = samplePlaces;
const { envAdmin: ada, outsider } = sampleIdentities;

let nats: TestNats;
let auth: Bus;
let gateway: Bus;
let repeat: Repeatable<z.infer<typeof Dock>> | undefined;
let before: z.infer<typeof Dock> | undefined;

beforeAll(async () => {
  nats = await startTestNats({ resources: [docks] });
  auth = await connectTestBus(nats, 'auth');
  gateway = await connectTestBus(nats, 'api-gateway');
  auth.serve(
    implement(docks, {
      create: async ({ body }, { permit, repeatable }) => {
        repeat = repeatable();
        return repeat && before ? repeat.answerAgain(before, null) : permit({ env_id, ...body });
      },
      forgetful: async ({ body }, { permit }) => permit({ env_id, ...body }),
      update: async ({ body }, { permit }) => permit({ env_id, ...body }),
    }),
  );
  await auth.listening();
});
afterAll(async () => {
  await Promise.all([auth, gateway].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const as = async (identity: typeof ada, idempotencyKey?: string) => ({
  identityToken: await identityToken(identity, docks.owner),
  idempotencyKey,
});
const body = { length: '12' };

describe('a creation', () => {
  test('gets key, identity and validated request from repeatable()', async () => {
    before = undefined;
    await gateway.call(create, { body }, await as(ada, ' key "1" ~'));

    expect(repeat).toMatchObject({
      key: ' key "1" ~'.trim(),
      identity: { kind: 'user', id: ada.id },
      operation: 'docks.create',
      request: { body: { length: 12 } },
    });
  });

  test('is not repeatable without a key', async () => {
    await gateway.call(create, { body }, await as(ada));

    expect(repeat).toBeUndefined();
  });

  test('answers a repeat without calling permit, which the first request did', async () => {
    before = { env_id, length: 7 };

    expect(await gateway.call(create, { body }, await as(outsider, 'key'))).toEqual(before);
    await expect(gateway.call(create, { body }, await as(outsider))).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is a bug if the handler never calls repeatable(), with a key and without', async () => {
    for (const key of [undefined, 'key']) {
      await expect(gateway.call(forgetful, { body }, await as(ada, key))).rejects.toMatchObject({ code: 'internal' });
    }
  });

  test.for(['', 'x'.repeat(256), 'ä', 'a\r\nBerth-Identity: x'])('refuses the key %j', async (key) => {
    await expect(gateway.call(create, { body }, await as(ada, key))).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path: 'headers.idempotency-key', message: 'must be 1 to 255 printable ASCII characters' }],
    });
  });
});

test('an operation that creates nothing need not call repeatable()', async () => {
  const request = { id: crypto.randomUUID(), body };

  expect(await gateway.call(update, request, await as(ada))).toEqual({ env_id, length: 12 });
});

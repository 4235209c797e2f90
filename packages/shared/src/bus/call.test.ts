import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { envAdmin, ourServices, siteAdmin } from '../access/rules.ts';
import { operation, resource } from '../contracts/contract.ts';
import { AppError } from '../errors.ts';
import { connectTestBus } from '../testing/test-bus.ts';
import { identityToken, sampleIdentities, samplePlaces } from '../testing/test-identities.ts';
import { startTestNats, type TestNats } from '../testing/test-nats.ts';
import type { Bus } from './bus.ts';
import { implement } from './implement.ts';

const Boat = z.strictObject({ id: z.uuid(), env_id: z.uuid(), name: z.string() });

const boats = resource('boats', {
  owner: 'auth',
  singular: 'boat',
  etag: ['name'],
  operations: {
    list: operation({
      http: 'GET /boats',
      summary: '',
      allow: siteAdmin,
      query: z.strictObject({ page: z.coerce.number().int().optional() }),
      response: z.array(Boat),
    }),
    get: operation({ http: 'GET /boats/:id', summary: '', allow: envAdmin, response: Boat }),
    update: operation({
      http: 'PUT /boats/:id',
      summary: '',
      allow: envAdmin,
      body: z.strictObject({ name: z.string().min(1) }),
      response: Boat,
    }),
    fails: operation({
      summary: '',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ how: z.string() }),
      response: z.unknown(),
    }),
    waits: operation({ summary: '', allow: ourServices, callers: ['tasks'], response: z.number() }),
  },
});

const boat = { id: samplePlaces.kindId, env_id: samplePlaces.envId, name: 'Ada' };

let nats: TestNats;
let auth: Bus;
let gateway: Bus;
let tasks: Bus;

beforeAll(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, gateway, tasks] = await Promise.all([
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'api-gateway'),
    connectTestBus(nats, 'tasks'),
  ]);
  auth.serve(
    implement(boats, {
      list: async ({ query }) => [{ ...boat, name: `page ${query.page ?? 'none'}` }],
      get: async ({ id }, { permit }) => (id === boat.id ? permit(boat) : boat),
      update: async ({ body }, { permit, checkIfMatch }) => {
        permit(boat);
        checkIfMatch(boat);
        return { ...boat, ...body };
      },
      fails: async ({ body: { how } }) => {
        if (how === 'known') throw new AppError('conflict', 'In use by 3 boats');
        if (how === 'wrong reply') return BigInt(1);
        throw new Error(`password=hunter2\nsecond line of ${how}`);
      },
      waits: async (_, { signal, remainingMs }) => {
        const left = remainingMs();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return left;
      },
    }),
  );
});

afterAll(async () => {
  await Promise.all([auth, gateway, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const as = async (who: keyof typeof sampleIdentities) => ({
  identityToken: await identityToken(sampleIdentities[who]),
});

describe('a call', () => {
  test('brings the answer of the owner', async () => {
    const answer = await gateway.call(boats.operations.list, { query: { page: '2' } }, await as('siteAdmin'));

    expect(answer).toEqual([{ ...boat, name: 'page 2' }]);
  });

  test('without an identity is unauthenticated', async () => {
    await expect(gateway.call(boats.operations.list, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('with a wrong field names its path and rule', async () => {
    const call = gateway.call(boats.operations.update, { id: boat.id, body: { name: '' } }, await as('envAdmin'));

    await expect(call).rejects.toMatchObject({ code: 'invalid', errors: [{ path: 'body.name' }] });
  });
});

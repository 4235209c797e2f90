import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { membersOfEnv } from '@berth/contracts/access/readers';
import { anyone, envAdmin, ourServices, siteAdmin } from '@berth/contracts/access/rules';
import type { Handlers } from '@berth/bus/rpc/handler';
import { operation, resource } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import { samplePlaces } from './test-identities.ts';

const Boat = z.strictObject({ id: z.uuid(), env_id: z.uuid(), name: z.string() });
export type Boat = z.infer<typeof Boat>;

/** A resource for tests of the bus, with one operation per possible outcome. */
export const boats = resource('boats', {
  owner: 'auth',
  singular: 'boat',
  etag: ['name'],
  state: { row: Boat, readers: membersOfEnv, consumers: ['tasks'] },
  operations: {
    list: operation({
      http: 'GET /boats',
      summary: 'Needs a site admin',
      allow: siteAdmin,
      query: z.strictObject({ page: z.coerce.number().int().optional() }),
      response: z.array(Boat),
    }),
    get: operation({
      http: 'GET /boats/:id',
      summary: 'Forgets permit for other ids',
      allow: envAdmin,
      response: Boat,
    }),
    update: operation({
      http: 'PUT /boats/:id',
      summary: 'Needs an admin of the env; forgets checkIfMatch for the name "unchecked", change for "unrecorded"',
      allow: envAdmin,
      body: z.strictObject({ name: z.string().min(1) }),
      response: Boat,
    }),
    echo: operation({
      http: 'POST /boats/echo',
      summary: 'Returns its text',
      allow: anyone,
      callers: ['tasks'],
      body: z.strictObject({ text: z.string() }),
      response: z.strictObject({ text: z.string(), caller: z.string(), request_id: z.string() }),
      idempotent: true,
    }),
    fail: operation({
      summary: 'Fails in the requested way',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ how: z.enum(['known', 'bug', 'sync bug', 'wrong reply', 'huge reply', 'huge refusal']) }),
      response: z.strictObject({ text: z.string() }),
    }),
    wait: operation({
      summary: 'Answers after the given time, or when the deadline is over',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ ms: z.number() }),
      response: z.strictObject({ remaining_ms: z.number(), aborted: z.boolean() }),
    }),
  },
});

export const boat: Boat = { id: samplePlaces.kindId, env_id: samplePlaces.envId, name: 'Ada' };

export interface BoatLog {
  aborts: number;
}

export const boatHandlers = (observed: BoatLog): Handlers<(typeof boats)['operations']> => ({
  list: async ({ query }) => [{ ...boat, name: `page ${query.page ?? 'none'}` }],
  get: async ({ id }, { permit }) => (id === boat.id ? permit(boat) : boat),
  update: async ({ body }, { permit, checkIfMatch, checkChange }) => {
    permit(boat);
    if (body.name !== 'unchecked') checkIfMatch(boat);
    if (body.name !== 'unrecorded') checkChange('nothing');
    return { ...boat, ...body };
  },
  echo: async ({ body }, { caller, requestId }) => ({ text: body.text, caller, request_id: requestId }),
  fail: ({ body: { how } }) => {
    if (how === 'sync bug') throw new Error('hunter2 thrown\nat once');
    return fail(how);
  },
  wait: async ({ body: { ms } }, { signal, remainingMs }) => {
    const remaining = remainingMs();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const giveUp = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
    if (signal.aborted) {
      observed.aborts += 1;
      // Past the deadline, because the caller waits a moment longer.
      await sleep(1_000);
    }
    return { remaining_ms: remaining, aborted: signal.aborted };
  },
});

const tooMuch = { text: 'fine', password: 'hunter2' };

async function fail(how: string): Promise<{ text: string }> {
  if (how === 'known') throw new AppError('conflict', 'In use by 3 sailors');
  if (how === 'huge refusal') {
    const error = { path: `body.${'k'.repeat(100_000)}`, message: `must be one of ${'😀'.repeat(50_000)}` };
    throw new AppError('unprocessable', error.message, { errors: Array.from({ length: 60 }, () => error) });
  }
  if (how === 'huge reply') return { text: 'x'.repeat(4 * 1024 * 1024) };
  if (how === 'wrong reply') return tooMuch;
  throw new Error('hunter2 is wrong\nsecond line\r\nthird: line');
}

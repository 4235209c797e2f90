import { type Slots, slots } from '@berth/service/waiting/slots';
import { withinMs } from '@berth/service/waiting/within-ms';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { largeBodyBytes } from './cost.ts';
import { TooManyRequests } from './too-many-requests.ts';

export interface SlotsOptions {
  /** Concurrent requests of one identity; further ones wait. */
  most: number;
  /** A request that has waited this long is refused. */
  patienceMs: number;
  /** Names the requests in the refusal. */
  what: string;
}

/** Waits for a slot, which the request keeps until its answer is sent. */
export type EnterSlot = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const retryAfterMs = 1_000;

/**
 * Gives each identity a few slots, so that its requests wait for each other and do not delay those of others.
 * Without it: with 100 connections of one identity, every request of others waits behind a hundred.
 */
export function slotsOfIdentity({ most, patienceMs, what }: SlotsOptions): EnterSlot {
  const identities = new Map<string, { slots: Slots; requests: number }>();

  return async ({ identity }, { raw }) => {
    const key = `${identity?.kind} ${identity?.id}`;
    const own = identities.get(key) ?? { slots: slots(most), requests: 0 };
    identities.set(key, own);
    own.requests += 1;
    try {
      if (!own.slots.take()) await waitIn(own.slots);
    } catch (error) {
      forget();
      throw error;
    }
    const leave = () => {
      own.slots.leave();
      forget();
    };
    if (raw.closed) leave();
    else raw.once('close', leave);

    async function waitIn({ wait }: Slots): Promise<void> {
      const { turn, giveUp } = wait();
      if (!(await withinMs(patienceMs, turn)) && giveUp())
        throw new TooManyRequests(
          `Too many ${what} of this identity at the same time; wait for their answers`,
          retryAfterMs,
        );
    }
    function forget(): void {
      own.requests -= 1;
      if (own.requests === 0) identities.delete(key);
    }
  };
}

/** A slot for requests with a large body. A request that has waited is counted again, after the charges of those before it. */
export const onlyForLargeBodies =
  (enter: EnterSlot): EnterSlot =>
  async (request, reply) => {
    const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
    const bytes = encoding === undefined ? Number(length ?? 0) : largeBodyBytes + 1;
    // A body beyond the limit of the route is refused without being read.
    if (bytes <= largeBodyBytes || bytes > request.routeOptions.bodyLimit) return;
    await enter(request, reply);
    request.payer?.limit.refuseUsedUp(request.payer.key, reply);
  };

import type { Operation } from '@berth/contracts/definition/contract';
import { logins } from '@berth/contracts/resources/accounts/logins';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RequestLimit } from '../limits/request-limit.ts';
import type { Attempts } from './attempts.ts';
import { networkOf } from './network-of.ts';
import type { StartedSignIns } from './started-sign-ins.ts';

export interface LimitAttemptsDeps {
  attempts: Attempts;
  addresses: RequestLimit;
  started: StartedSignIns;
}

const WithState = z.looseObject({ state: z.string() });
const stateIn = (value: unknown): string | undefined => WithState.safeParse(value).data?.state;

/** Whether the operation starts or ends a sign-in. It needs no credential: a start stores a row, an end calls the provider. */
export const isAttempt = ({ allow, idempotent }: Operation): boolean => allow.on === 'nothing' && idempotent !== true;

/**
 * Limits starts and ends of sign-ins by address. The end of a started sign-in is not limited: the person has come back from
 * the provider, and others at the address must not use up the attempts. Only the body names the sign-in, so an end is
 * limited after its small body was read.
 */
export function limitAttempts({ resource, name }: Operation, { attempts, addresses, started }: LimitAttemptsDeps) {
  const limit = (request: FastifyRequest): void => {
    const network = networkOf(request);
    attempts.refuseUsedUp(network);
    attempts.count(network);
  };
  const isEnd = resource === logins.name && name === logins.operations.finish.name;
  if (!isEnd) return { onRequest: async (request: FastifyRequest) => limit(request) };

  return {
    config: { limitsItself: true },
    // Counted here, since a body that cannot be parsed never reaches the later count.
    onRequest: async (request: FastifyRequest) => addresses.charge(networkOf(request), 1),
    preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
      const state = stateIn(request.body);
      if (state !== undefined && started.takeOut(state)) return;
      addresses.refuseUsedUp(networkOf(request), reply);
      limit(request);
    },
  };
}

/** Remembers the sign-in that a start was answered with. */
export const noteStart = ({ resource, name }: Operation, json: Uint8Array, started: StartedSignIns): void => {
  if (resource !== logins.name || name !== logins.operations.start.name) return;
  const state = stateIn(JSON.parse(Buffer.from(json).toString()));
  if (state !== undefined) started.add(state);
};

import type { Operation } from '@berth/contracts/definition/contract';
import type { FastifyRequest } from 'fastify';
import type { Attempts } from './attempts.ts';
import { networkOf } from './network-of.ts';

/** Whether the operation starts or ends a sign-in, without a credential: a start stores a row, an end calls the provider. */
export const isAttempt = ({ allow, idempotent }: Operation): boolean => allow.on === 'nothing' && idempotent !== true;

export const limitAttempts =
  (attempts: Attempts) =>
  async (request: FastifyRequest): Promise<void> => {
    const network = networkOf(request);
    attempts.refuseUsedUp(network);
    attempts.count(network);
  };

import type { Bus } from '@berth/bus/bus';
import { identityIn } from '@berth/bus/identity-tokens/identity-in';
import { mayBeAllowed } from '@berth/contracts/access/rules';
import type { Operation } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import { Id } from '@berth/contracts/fields/fields';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

const WithId = z.object({ id: Id });

/**
 * Refuses, before the body is read, a caller that would lack the permission on every row. The request goes to the owner
 * without its body, so that the owner refuses and audits it.
 */
export function refuseHopeless(operation: Operation, bus: Pick<Bus, 'callForBytes'>) {
  const { allow } = operation;
  return async (request: FastifyRequest): Promise<void> => {
    if (allow.on === 'nothing' || allow.on === 'service' || request.identityToken === undefined) return;
    if (mayBeAllowed(allow, identityIn(request.identityToken))) return;

    const path = WithId.safeParse(request.params).data;
    const options = { identityToken: request.identityToken, requestId: request.id };
    await bus.callForBytes(operation, path ?? {}, options).catch((error: unknown) => {
      // An owner of the previous version validates the request first.
      if (!(error instanceof AppError && error.code === 'invalid')) throw error;
    });
    throw new AppError('forbidden', `Only ${allow.says} may do this`);
  };
}

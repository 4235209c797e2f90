import { implement } from '@berth/shared/bus/rpc/implement';
import { identityLeases } from '@berth/shared/contracts/resources/identity-leases';
import type { Database } from '@berth/shared/db/database';
import { createIdentityLeaseRepository } from './identity-lease-repository.ts';

export const identityLeaseHandlers = ({ db }: { db: Database }) => {
  const identityLeaseRepository = createIdentityLeaseRepository(db);

  return implement(identityLeases, {
    renew: async ({ body }) => ({ granted: await identityLeaseRepository.renew(body.gateway, body.lease_ms) }),

    release: async ({ body }) => {
      await identityLeaseRepository.release(body.gateway);
      return {};
    },
  });
};

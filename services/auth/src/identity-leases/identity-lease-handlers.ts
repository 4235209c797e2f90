import { implement } from '@berth/bus/rpc/implement';
import { identityLeases } from '@berth/contracts/resources/accounts/identity-leases';
import type { Database } from '@berth/db/database';
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

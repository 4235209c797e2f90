import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';

/** The longest time in ms for which a gateway may reuse an identity. */
export const longestLeaseMs = 1_000;

/** A gateway, by its process's name on the bus. */
const Gateway = z.string().regex(/^[0-9a-f]{16}$/);

const None = z.strictObject({});

/** The gateways that may reuse identities for a short time. See docs/decisions/0015. */
export const identityLeases = resource('identity_leases', {
  owner: 'auth',
  singular: 'identity lease',
  operations: {
    renew: operation({
      summary: 'Let a gateway reuse identities for `lease_ms` from now',
      allow: ourServices,
      callers: ['api-gateway'],
      body: z.strictObject({ gateway: Gateway, lease_ms: z.int().min(1).max(longestLeaseMs) }),
      // Refused while too many gateways have a lease.
      response: z.strictObject({ granted: z.boolean() }),
      idempotent: true,
    }),
    release: operation({
      summary: 'A gateway no longer reuses identities',
      allow: ourServices,
      callers: ['api-gateway'],
      body: z.strictObject({ gateway: Gateway }),
      response: None,
      idempotent: true,
    }),
  },
});

/** The identities that each gateway has read under its lease. */
export const identityCaches = resource('identity_caches', {
  owner: 'api-gateway',
  singular: 'identity cache',
  operations: {
    forget: operation({
      summary: 'Forget all identities that were read until now',
      allow: ourServices,
      callers: ['auth'],
      perProcess: true,
      response: None,
    }),
  },
});

import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';

/** The longest time for which a gateway may reuse an identity, in ms. */
export const longestLeaseMs = 1_000;

/** A gateway by the name of its process on the bus. */
const Gateway = z.string().regex(/^[0-9a-f]{16}$/);

const None = z.strictObject({});

/** The gateways that may reuse identities for a moment. See docs/decisions/0015. */
export const identityLeases = resource('identity_leases', {
  owner: 'auth',
  singular: 'identity lease',
  operations: {
    renew: operation({
      summary: 'Let a gateway reuse identities for `lease_ms` from now',
      allow: ourServices,
      callers: ['api-gateway'],
      body: z.strictObject({ gateway: Gateway, lease_ms: z.int().min(1).max(longestLeaseMs) }),
      // Refused while too many gateways hold one.
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

/** What each gateway has read under its lease. */
export const identityCaches = resource('identity_caches', {
  owner: 'api-gateway',
  singular: 'identity cache',
  operations: {
    forget: operation({
      summary: 'Reuse no identity that was read until now',
      allow: ourServices,
      callers: ['auth'],
      perProcess: true,
      response: None,
    }),
  },
});

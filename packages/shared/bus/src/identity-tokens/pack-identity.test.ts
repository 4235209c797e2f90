import { describe, expect, test } from 'vitest';
import { sampleIdentities, testKeys } from '@berth/testing/test-identities';
import { headerNames, WireHeaders } from '../rpc/wire/wire-headers.ts';
import type { Identity, UserIdentity } from '@berth/contracts/access/identity';
import { createIdentitySigner } from './identity-token.ts';
import { maxRolesOfUser, PackedIdentity } from '@berth/contracts/access/packed-identity';
import { packIdentity, unpackIdentity } from './pack-identity.ts';

const { outsider, siteAdmin, envAdmin, envUser } = sampleIdentities;

const through = (identity: Identity): Identity =>
  unpackIdentity(PackedIdentity.parse(JSON.parse(JSON.stringify(packIdentity(identity)))));

/** The largest possible user: every role is in an env of its own and for a kind of its own. */
function largest(): UserIdentity {
  const ids = Array.from({ length: maxRolesOfUser }, () => crypto.randomUUID());
  return {
    ...outsider,
    env_roles: Object.fromEntries(ids.map((id, n) => [id, n % 2 === 0 ? 'Admin' : 'User'])),
    deployment_roles: ids.map((env_id) => ({ env_id, kind_id: crypto.randomUUID(), role: 'Maintainer' })),
  };
}

describe('a packed identity', () => {
  test.for(Object.entries(sampleIdentities))(
    'the packed identity of a %s unpacks to the same identity',
    ([, identity]) => {
      expect(through(identity)).toEqual(identity);
    },
  );

  test('the packed identity of a user with roles of each sort unpacks to the same identity', () => {
    const mixed = { ...outsider, env_roles: { ...envAdmin.env_roles, [crypto.randomUUID()]: 'User' as const } };

    expect(through(mixed)).toEqual(mixed);
  });

  test('the packed identity of a site admin has no roles, because no rule reads them', () => {
    expect(packIdentity({ ...siteAdmin, env_roles: envUser.env_roles })).toEqual({
      ...siteAdmin,
      env_roles: {},
      deployment_roles: [],
    });
  });

  test('the packed identity of a user with the largest possible number of roles fits into a header', async () => {
    const identity = largest();
    const sign = await createIdentitySigner(testKeys.privateJwk);

    const token = await sign(packIdentity(identity), 'tasks');

    expect(new WireHeaders().set(headerNames.identity, token)).toBe(true);
    expect(through(identity)).toEqual(identity);
  });
});

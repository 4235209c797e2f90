import { generateKeyPairSync } from 'node:crypto';
import type { BotIdentity, DeploymentIdentity, Identity, UserIdentity } from '@berth/contracts/access/identity';
import { createIdentitySigner } from '@berth/bus/identity-tokens/identity-token';
import { createIdentityVerifier } from '@berth/bus/identity-tokens/identity-verifier';
import { packIdentity } from '@berth/bus/identity-tokens/pack-identity';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';

/** The env and kind in which the sample identities have roles. */
export const samplePlaces = {
  envId: '11111111-1111-4111-8111-111111111111',
  otherEnvId: '22222222-2222-4222-8222-222222222222',
  kindId: '33333333-3333-4333-8333-333333333333',
} as const;

const { envId, kindId } = samplePlaces;

const user = (n: number, fields: Partial<UserIdentity> = {}): UserIdentity => ({
  kind: 'user',
  id: `aaaaaaaa-aaaa-4aaa-8aaa-${String(n).padStart(12, '0')}`,
  is_admin: false,
  env_roles: {},
  deployment_roles: [],
  ...fields,
});

/** One of each kind of caller, with roles in `samplePlaces.envId` and on `samplePlaces.kindId`. */
export const sampleIdentities = {
  siteAdmin: user(1, { is_admin: true }),
  envAdmin: user(2, { env_roles: { [envId]: 'Admin' } }),
  envUser: user(3, { env_roles: { [envId]: 'User' } }),
  owner: user(4, {
    env_roles: { [envId]: 'User' },
    deployment_roles: [{ env_id: envId, kind_id: kindId, role: 'Owner' }],
  }),
  maintainer: user(5, {
    env_roles: { [envId]: 'User' },
    deployment_roles: [{ env_id: envId, kind_id: kindId, role: 'Maintainer' }],
  }),
  outsider: user(6),
  bot: { kind: 'bot', id: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb' } satisfies BotIdentity,
  deployment: {
    kind: 'deployment',
    id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc',
    env_id: envId,
  } satisfies DeploymentIdentity,
} as const;

const kid = 'test';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');

export const testKeys = {
  privateJwk: { ...privateKey.export({ format: 'jwk' }), kid },
  publicJwks: [PublicJwk.parse({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' })],
};

const sign = await createIdentitySigner(testKeys.privateJwk);

/** A token for an identity, signed with the key of the tests for the service that is called. */
export const identityToken = (identity: Identity, audience: ServiceName): Promise<string> =>
  sign(packIdentity(identity), audience);

export const verifyTestIdentity = createIdentityVerifier({ fetchKeys: async () => testKeys.publicJwks });

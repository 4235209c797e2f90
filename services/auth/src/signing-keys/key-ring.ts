import { Bug } from '@berth/contracts/errors';
import { createIdentitySigner, type IdentitySigner } from '@berth/bus/identity-tokens/identity-token';
import type { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';
import type { Database } from '@berth/db/database';
import { unsealWithAny } from '@berth/db/sealing/seal';
import { ConfigError } from '@berth/service/read-config';
import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import { rotateSigningKeys } from './rotate-signing-keys.ts';
import { createSigningKeyRepository, type StoredKey } from './signing-key-repository.ts';

type VerifyingKey = CryptoKey | Uint8Array;

interface Signer {
  kid: string;
  key: CryptoKey | Uint8Array;
  signIdentity: IdentitySigner;
}

export interface KeyRing {
  /** The newest key that every replica and service has had time to read. */
  signer(): Signer;
  verifyingKey(kid: string): VerifyingKey | undefined;
  published(): PublicJwk[];
  /** Makes a new key if the newest is too old, and reads all keys again. */
  refresh(): Promise<void>;
}

export interface KeyRingDeps {
  db: Database;
  keyEncryptionKey: Buffer;
  /** Earlier keys, which only open what they sealed while the key is being replaced. */
  otherKeyEncryptionKeys?: readonly Buffer[];
  maxKeyAgeDays: number;
}

interface Loaded {
  signer: Signer;
  verifyingKeys: Map<string, VerifyingKey>;
  published: PublicJwk[];
}

/** The signing keys that all replicas share, as this replica last read them. The first start makes the first key. */
export async function openKeyRing({
  db,
  keyEncryptionKey,
  otherKeyEncryptionKeys = [],
  maxKeyAgeDays,
}: KeyRingDeps): Promise<KeyRing> {
  const signingKeyRepository = createSigningKeyRepository(db);
  const sealingKeys = [keyEncryptionKey, ...otherKeyEncryptionKeys];
  const load = async () => {
    // Before a key could be made: sealed under a wrong key, it would be one that no other replica can open.
    const [newest] = await signingKeyRepository.all();
    if (newest) unsealed(newest.kid, newest.sealed_private_jwk, sealingKeys);
    await rotateSigningKeys({ db, keyEncryptionKey, maxKeyAgeDays });
    return loaded(await signingKeyRepository.all(), sealingKeys);
  };
  let current = await load();

  return {
    signer: () => current.signer,
    verifyingKey: (kid) => current.verifyingKeys.get(kid),
    published: () => current.published,
    refresh: async () => {
      current = await load();
    },
  };
}

async function loaded(keys: readonly StoredKey[], sealingKeys: readonly Buffer[]): Promise<Loaded> {
  // A key is published for a minute before it may sign, so that every verifier has it by then.
  const newest = keys.find(({ may_sign }) => may_sign);
  if (!newest) throw new Bug('No signing key may sign yet');

  const verifying = keys.map(async ({ kid, public_jwk }) => [kid, await importJWK(public_jwk, 'EdDSA')] as const);
  return {
    signer: await signerOf(newest, sealingKeys),
    verifyingKeys: new Map(await Promise.all(verifying)),
    published: keys.map(({ public_jwk }) => public_jwk),
  };
}

const PrivateJwk = z.object({ kty: z.string(), crv: z.string(), x: z.string(), d: z.string(), kid: z.string() });

async function signerOf({ kid, sealed_private_jwk }: StoredKey, sealingKeys: readonly Buffer[]): Promise<Signer> {
  const privateJwk = PrivateJwk.parse(JSON.parse(unsealed(kid, sealed_private_jwk, sealingKeys)));
  return { kid, key: await importJWK(privateJwk, 'EdDSA'), signIdentity: await createIdentitySigner(privateJwk) };
}

export function unsealed(kid: string, sealed: Buffer, sealingKeys: readonly Buffer[]): string {
  try {
    return unsealWithAny(sealingKeys, kid, sealed).toString();
  } catch (cause) {
    const rule = `must be the key that sealed signing key ${kid}, or OTHER_KEY_ENCRYPTION_KEYS must list that key`;
    throw new ConfigError([`KEY_ENCRYPTION_KEY: ${rule}`], { cause });
  }
}

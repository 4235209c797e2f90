import { createIdentitySigner, type IdentitySigner } from '@berth/bus/identity-tokens/identity-token';
import type { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';
import type { Database } from '@berth/db/database';
import { unsealWithAny } from '@berth/db/sealing/seal';
import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import { rotateSigningKeys } from './rotate-signing-keys.ts';
import { createSigningKeyRepository, type StoredKey } from './signing-key-repository.ts';

type VerifyingKey = CryptoKey | Uint8Array;

export interface Signer {
  kid: string;
  key: CryptoKey | Uint8Array;
  signIdentity: IdentitySigner;
}

export interface KeyRing {
  /** The newest key that every replica and service had time to learn. */
  signer(): Signer;
  verifyingKey(kid: string): VerifyingKey | undefined;
  published(): PublicJwk[];
  /** Makes a new key when the newest is too old, and reads them all again. */
  refresh(): Promise<void>;
}

export interface KeyRingDeps {
  db: Database;
  keyEncryptionKey: Buffer;
  /** They only open what is sealed, while the key is being replaced. */
  otherKeyEncryptionKeys?: readonly Buffer[];
  maxKeyAgeDays: number;
}

interface Loaded {
  signer: Signer;
  verifyingKeys: Map<string, VerifyingKey>;
  published: PublicJwk[];
}

/** The signing keys of all replicas, as this one knows them. The first start makes the first key. */
export async function openKeyRing({
  db,
  keyEncryptionKey,
  otherKeyEncryptionKeys = [],
  maxKeyAgeDays,
}: KeyRingDeps): Promise<KeyRing> {
  const signingKeyRepository = createSigningKeyRepository(db);
  const load = async () => {
    await rotateSigningKeys({ db, keyEncryptionKey, maxKeyAgeDays });
    return loaded(await signingKeyRepository.all(), [keyEncryptionKey, ...otherKeyEncryptionKeys]);
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
  const newest = keys.find(({ may_sign }) => may_sign);
  if (!newest) throw new Error('No signing key may sign yet');

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
    throw new Error(`Signing key ${kid} does not open with KEY_ENCRYPTION_KEY: it is not the key it was stored with`, {
      cause,
    });
  }
}

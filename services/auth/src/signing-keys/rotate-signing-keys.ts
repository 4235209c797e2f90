import type { Database } from '@berth/db/database';
import { seal } from '@berth/db/sealing/seal';
import { newSigningKey } from './new-signing-key.ts';
import { createSigningKeyRepository } from './signing-key-repository.ts';

export interface RotateSigningKeysOptions {
  db: Database;
  keyEncryptionKey: Buffer;
  maxKeyAgeDays: number;
}

const day = 24 * 60 * 60;

/** Longer than the interval at which replicas and services read the published keys. */
const publishedBeforeUseSeconds = 60;
/** A day longer than the longest session. */
const publishedAfterUseSeconds = 8 * day;

/** Makes the first key, and a new one if the newest is too old; deletes keys whose signatures have all expired. */
export async function rotateSigningKeys({
  db,
  keyEncryptionKey,
  maxKeyAgeDays,
}: RotateSigningKeysOptions): Promise<void> {
  const isDue = (ageSeconds: number) => ageSeconds > maxKeyAgeDays * day;
  const [newest] = await createSigningKeyRepository(db).all();
  if (newest && !isDue(newest.age_seconds)) return;

  // Made before the lock is taken, so that the lock is held only for the statements.
  const { publicJwk, privateJwk } = await newSigningKey();
  await db.transaction(async (tx) => {
    const signingKeyRepository = createSigningKeyRepository(tx);
    await signingKeyRepository.lock();
    const [newestNow] = await signingKeyRepository.all();
    // Another replica has just made one.
    if (newestNow && !isDue(newestNow.age_seconds)) return;

    await signingKeyRepository.insert({
      kid: publicJwk.kid,
      publicJwk,
      sealedPrivateJwk: seal(keyEncryptionKey, publicJwk.kid, JSON.stringify(privateJwk)),
      // The first key has to sign at once: there is no other.
      signsInSeconds: newestNow ? publishedBeforeUseSeconds : 0,
    });
    await signingKeyRepository.removeSuperseded(publishedAfterUseSeconds);
  });
}

import type { AdminCommand, AdminContext } from '@berth/db/admin/admin-command';
import { openDatabase } from '@berth/db/postgres/open-database';
import { seal } from '@berth/db/sealing/seal';
import { unsealed } from './key-ring.ts';
import { rotateSigningKeys } from './rotate-signing-keys.ts';
import { createSigningKeyRepository } from './signing-key-repository.ts';

export interface SigningKeyCommandsDeps {
  migrations: URL;
  /** Reads the settings of these commands; throws if one is missing. */
  settingsIn: (environment: AdminContext['environment']) => {
    databaseUrl: string;
    keyEncryptionKey: Buffer;
    otherKeyEncryptionKeys: readonly Buffer[];
  };
}

/** The commands of operators for signing keys. Replicas may run meanwhile. */
export const signingKeyCommands = (deps: SigningKeyCommandsDeps): Record<string, AdminCommand> => ({
  'seal-again': {
    purpose: 'seal the signing keys again under the current KEY_ENCRYPTION_KEY, as part of replacing it',
    run: (context) => sealAgain(context, deps),
  },
  'rotate-signing-key': {
    purpose: 'make a new signing key now; replicas sign with it after a minute',
    run: (context) => rotate(context, deps),
  },
});

const applicationName = 'berth-admin';

/** Seals all signing keys again in one transaction. Login attempts are left alone: they last only ten minutes. */
async function sealAgain(
  { environment, log, signal }: AdminContext,
  { migrations, settingsIn }: SigningKeyCommandsDeps,
): Promise<boolean> {
  const { databaseUrl: url, keyEncryptionKey, otherKeyEncryptionKeys } = settingsIn(environment);
  await using db = await openDatabase({ url, migrations, log, signal, applicationName, maxConnections: 1 });
  const keys = [keyEncryptionKey, ...otherKeyEncryptionKeys];
  const resealed = await db.transaction(async (tx) => {
    const signingKeyRepository = createSigningKeyRepository(tx);
    await signingKeyRepository.lock();
    const stored = await signingKeyRepository.all();
    for (const { kid, sealed_private_jwk } of stored) {
      const privateJwk = unsealed(kid, sealed_private_jwk, keys);
      await signingKeyRepository.replaceSealed(kid, seal(keyEncryptionKey, kid, privateJwk));
    }
    return stored.length;
  });
  log.info({ resealed }, 'all signing keys are sealed under the current key');
  return true;
}

async function rotate(
  { environment, log, signal }: AdminContext,
  { migrations, settingsIn }: SigningKeyCommandsDeps,
): Promise<boolean> {
  const { databaseUrl: url, keyEncryptionKey } = settingsIn(environment);
  await using db = await openDatabase({ url, migrations, log, signal, applicationName, maxConnections: 1 });
  await rotateSigningKeys({ db, keyEncryptionKey, maxKeyAgeDays: 0 });
  const [newest] = await createSigningKeyRepository(db).all();
  log.info({ kid: newest?.kid }, 'made a new signing key');
  return newest !== undefined;
}

import type { AdminCommand, AdminContext } from '@berth/db/admin/admin-command';
import { openDatabase } from '@berth/db/postgres/open-database';
import { inTransactionOf, readingStore } from '../store/store.ts';
import { resealSecrets } from './reseal-secrets.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface SealAgainDeps {
  migrations: URL;
  /** Reads the settings of the command; throws if one is missing. */
  settingsIn: (environment: AdminContext['environment']) => { databaseUrl: string; secretKeys: SecretKeys };
}

/** Seals all secrets under the current key. If it succeeds, the other keys are no longer needed. */
export const sealAgain = ({ migrations, settingsIn }: SealAgainDeps): AdminCommand => ({
  purpose: 'seal all secrets under the current key, while it is being replaced',
  async run({ environment, log, signal }) {
    const { databaseUrl: url, secretKeys } = settingsIn(environment);
    await using db = await openDatabase({
      url,
      migrations,
      log,
      signal,
      applicationName: 'seal-again',
      maxConnections: 2,
    });
    const { resealed, broken, otherKeys } = await resealSecrets({
      store: readingStore(db),
      inTransaction: inTransactionOf(db),
      secretKeys,
      log,
      signal,
    });
    const result = { resealed, current_key: secretKeys.current.id, other_keys: otherKeys, broken };
    const isDone = otherKeys.length === 0;
    if (isDone) log.info(result, 'all secrets are sealed under the current key');
    else log.error(result, 'some secrets are still sealed under other keys');
    return isDone;
  },
});

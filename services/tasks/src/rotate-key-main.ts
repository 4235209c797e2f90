import { openDatabase } from '@berth/shared/db/postgres/open-database';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { RotateKeyConfig } from './config.ts';
import { resealSecrets } from './secrets/reseal-secrets.ts';
import { inTransactionOf, readingStore } from './store/store.ts';

const name = 'rotate-key';
const done = new AbortController();
// Without the health port: this may run beside a replica, with its environment.
const environment = { LOG_LEVEL: process.env['LOG_LEVEL'] };

/** Seals all secrets under the current key. Exit code 0: the other keys are not needed any more; otherwise 1. */
await runService(
  name,
  async ({ log, signal, use }) => {
    const { databaseUrl: url, secretKeys } = readConfig(RotateKeyConfig, process.env);
    const migrations = new URL('../migrations/', import.meta.url);
    const db = use(await openDatabase({ url, migrations, log, signal, applicationName: name, maxConnections: 2 }));

    const store = readingStore(db);
    const { resealed, broken, otherKeys } = await resealSecrets({
      store,
      inTransaction: inTransactionOf(db),
      secretKeys,
      log,
      signal,
    });
    const result = { resealed, current_key: secretKeys.current.id, other_keys: otherKeys, broken };
    if (otherKeys.length === 0) log.info(result, 'all secrets are sealed under the current key');
    else {
      log.error(result, 'some secrets are still sealed under other keys');
      process.exitCode = 1;
    }
    done.abort();
  },
  { environment, stop: done.signal },
);

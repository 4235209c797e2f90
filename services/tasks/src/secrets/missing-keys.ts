import { AppError } from '@berth/contracts/errors';
import { ConfigError } from '@berth/service/read-config';
import type { Service } from '@berth/service/service';
import type { ReadingStore } from '../store/store.ts';
import type { SecretKeys } from './secret-keys.ts';

export type SealedRows = Pick<ReadingStore, 'secrets' | 'resources' | 'taskInputs'>;

/** Keys in use: contents of secrets, sensitive props of resources, or inputs of actions are sealed under them. */
export async function usedKeys({ secrets, resources, taskInputs }: SealedRows): Promise<string[]> {
  const ids = [...(await secrets.keyIds()), ...(await resources.keyIds()), ...(await taskInputs.keyIds())];
  return [...new Set(ids)];
}

/** The keys in use that this process does not have. */
export async function missingKeys(store: SealedRows, { ids }: Pick<SecretKeys, 'ids'>): Promise<string[]> {
  return (await usedKeys(store)).filter((id) => !ids.includes(id));
}

/** A process with the wrong key must not seal: no other process could open it. */
export async function refuseWithMissingKeys(store: SealedRows, keys: SecretKeys): Promise<void> {
  if ((await missingKeys(store, keys)).length === 0) return;
  throw new AppError(
    'unavailable',
    'Secrets cannot be stored now: the service lacks a key that others are sealed under',
  );
}

/**
 * A start with keys that do not open what is stored fails. The id of a key follows from the key, so a row whose id is known can be
 * opened, and no row need be tried.
 */
export async function refuseToStartWithoutKeys(
  store: SealedRows,
  keys: Pick<SecretKeys, 'ids' | 'current'>,
): Promise<void> {
  const missing = await missingKeys(store, keys);
  if (missing.length === 0) return;
  const rule = `must be the key that sealed the stored secrets, or OTHER_KEY_ENCRYPTION_KEYS must list it`;
  throw new ConfigError([
    `KEY_ENCRYPTION_KEY: ${rule} (they name the keys ${missing.join(', ')}; given are ${keys.ids.join(', ')})`,
  ]);
}

/** A readiness check, which also logs the missing keys when they change. */
export function keysAreThere({
  store,
  secretKeys,
  log,
}: {
  store: SealedRows;
  secretKeys: SecretKeys;
  log: Service['log'];
}): () => Promise<boolean> {
  let logged = '';
  return async () => {
    const missing = await missingKeys(store, secretKeys);
    const ids = missing.join(', ');
    if (ids !== logged && ids !== '')
      log.error({ key_ids: missing, known: secretKeys.ids }, 'secrets are sealed under keys that this process lacks');
    logged = ids;
    return missing.length === 0;
  };
}

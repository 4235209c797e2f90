import { formLimits } from '@berth/chart-extensions/budget/budget';
import { AppError } from '@berth/contracts/errors';
import type { ReadingStore } from '../store/store.ts';
import { KeyIsMissing, openContents } from './sealed-contents.ts';
import type { SecretKeys } from './secret-keys.ts';
import type { SecretRecord } from '../records/secret-record.ts';

export interface OpenSecretsDeps {
  secrets: Pick<ReadingStore['secrets'], 'sizeOf' | 'sealed'>;
  secretKeys: SecretKeys;
}

/** The contents of secrets of an env, by id, for a started task that has read the secrets' other properties. */
export async function openSecrets(
  { secrets, secretKeys }: OpenSecretsDeps,
  envId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  // More would not fit into the answer, so do not read it.
  if ((await secrets.sizeOf(envId, ids)) > formLimits.bytes) {
    throw new AppError(
      'unprocessable',
      `The secrets of the deployment are larger than ${formLimits.bytes} bytes together`,
    );
  }
  const rows = await secrets.sealed(envId, ids);
  return new Map(rows.map((row) => [row.id, contentsOf(secretKeys, row)]));
}

function contentsOf(keys: SecretKeys, row: SecretRecord): string {
  const name = `${row.collection}/${row.name}`;
  try {
    return openContents(keys, row);
  } catch (cause) {
    throw cause instanceof KeyIsMissing
      ? new AppError('unavailable', `The secret ${name} is sealed under a key that the service lacks`, { cause })
      : new AppError('unprocessable', `The secret ${name} cannot be opened: its row was changed outside of Berth`, {
          cause,
        });
  }
}

import { formLimits } from '@berth/chart-extensions/budget/budget';
import type { JsonObject } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';
import type { ReadingStore } from '../store/store.ts';
import { openProps } from './sealed-props.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface OpenResourcesDeps {
  resources: Pick<ReadingStore['resources'], 'sealedBytes' | 'records'>;
  secretKeys: SecretKeys;
}

/** The sensitive props of resources of an env, by id, for a task that has started. */
export async function openResources(
  { resources, secretKeys }: OpenResourcesDeps,
  envId: string,
  ids: readonly string[],
): Promise<Map<string, JsonObject>> {
  if (ids.length === 0) return new Map();
  // More would not fit into the answer, so do not read it.
  if ((await resources.sealedBytes(envId, ids)) > formLimits.bytes) {
    throw new AppError(
      'unprocessable',
      `The sensitive props of the resources are larger than ${formLimits.bytes} bytes together`,
    );
  }
  const rows = await resources.records(envId, ids);
  return new Map(
    rows.map((row) => {
      // Stored before the chart declared them sensitive.
      const exposed = Object.entries(row.props).filter(([input]) => row.sensitive.includes(input));
      return [row.id, { ...Object.fromEntries(exposed), ...openProps(secretKeys, row) }];
    }),
  );
}

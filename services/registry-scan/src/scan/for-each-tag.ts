import { isOutage } from '@berth/shared/errors';
import pMap from 'p-map';
import { RegistryError } from '../oci/registry-error.ts';

export interface TagWork<T> {
  work: (entry: T) => Promise<void>;
  /** Told of each failure that is the tag's own, or may be. */
  failed: (entry: T, error: unknown) => void;
  signal: AbortSignal;
}

const tagsAtOnce = 4;
/** More than are asked for at once: a few bad tags that happen to be asked for together are no outage. */
const mostFailuresInARow = tagsAtOnce + 2;

/**
 * Does the work for each tag. Whatever fails at one is of no concern to the others, a fault of ours included: a chart's
 * author must not be able to hide the charts of others. But a registry that is down is not asked for each of them: after
 * a few failures in a row the rest is left, and the last failure is the answer. An outage of the database ends it at once.
 */
export async function forEachTag<T>(
  entries: readonly T[],
  { work, failed, signal }: TagWork<T>,
): Promise<RegistryError | null> {
  let failuresInARow = 0;
  let outage: RegistryError | null = null;

  const take = async (entry: T): Promise<void> => {
    if (outage) return;
    try {
      await work(entry);
      failuresInARow = 0;
    } catch (error) {
      if (signal.aborted || isOutage(error)) throw error;
      failed(entry, error);
      if (!mayBeOutage(error)) failuresInARow = 0;
      else if (++failuresInARow >= mostFailuresInARow) outage = error;
    }
  };
  await pMap(shuffled(entries), take, { concurrency: tagsAtOnce });
  return outage;
}

/** Neighbours are often bad together; in another order each time, they do not hide the same others at every scan. */
const shuffled = <T>(entries: readonly T[]): T[] =>
  entries
    .map((entry) => ({ entry, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ entry }) => entry);

/** A registry that answers nonsense has answered. */
const mayBeOutage = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && error.reason !== 'nonsense';

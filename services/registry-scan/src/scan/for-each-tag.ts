import { isOutage } from '@berth/contracts/errors';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { RegistryError } from '../connection/registry-error.ts';

export interface TagWork<T> {
  work: (entry: T) => Promise<void>;
  /** Called for each failure, except an outage of the database. */
  onFailure: (entry: T, error: unknown) => void;
  signal: AbortSignal;
}

const tagsAtOnce = 4;
/** More than the tags in flight, so that a few bad tags that are read together do not seem to be an outage. */
const mostFailuresInARow = tagsAtOnce + 2;

/**
 * Does the work for each tag. A failure at one tag, even a bug, does not stop the others, so that a broken chart cannot hide
 * them. After a few consecutive failures the registry is probably down: the rest is skipped and the last failure is returned.
 * An outage of the database ends the scan at once.
 */
export async function forEachTag<T>(
  entries: readonly T[],
  { work, onFailure, signal }: TagWork<T>,
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
      onFailure(entry, error);
      if (!mayBeOutage(error)) failuresInARow = 0;
      else if (++failuresInARow >= mostFailuresInARow) outage = error;
    }
  };
  await eachAtMost(tagsAtOnce, shuffled(entries), take);
  return outage;
}

/** Neighbouring tags often fail together; in a random order they do not hide the same tags in every scan. */
const shuffled = <T>(entries: readonly T[]): T[] =>
  entries
    .map((entry) => ({ entry, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ entry }) => entry);

/** A malformed answer shows that the registry is up. */
const mayBeOutage = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && error.reason !== 'malformed';

import { atMost } from './at-most.ts';

/** Does the work for each item in order, at most `limit` at the same time. After a failure, none is started. */
export async function eachAtMost<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const inTurn = atMost(limit);
  let hasFailed = false;
  const doOne = async (item: T): Promise<void> => {
    if (hasFailed) return;
    try {
      await work(item);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  await Promise.all(items.map((item) => inTurn(() => doOne(item))));
}

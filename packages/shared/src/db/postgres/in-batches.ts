const batch = 1_000;
const batchesAtATime = 100;

/**
 * Does work of any size in statements that stay short, such as deleting what a flood has left; `some` does at most so many
 * and answers how many. The rest is left to the next run.
 */
export async function inBatches(some: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < batchesAtATime && !signal.aborted; turn += 1) {
    if ((await some(batch)) < batch) return;
  }
}

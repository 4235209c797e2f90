const batch = 1_000;
const batchesAtATime = 100;

/**
 * Does work of any size in short statements, such as deleting what a flood has left. `some` handles at most `most` rows
 * and returns how many it handled; it is called until none are left, a hundred times at most.
 */
export async function inBatches(some: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < batchesAtATime && !signal.aborted; turn += 1) {
    if ((await some(batch)) < batch) return;
  }
}

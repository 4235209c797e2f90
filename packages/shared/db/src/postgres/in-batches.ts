const batch = 1_000;
const batchesAtATime = 100;

/**
 * Does work of any size in short statements, such as deleting the rows of a flood. `some` handles at most `most` rows and returns
 * how many; it is called until none are left, at most a hundred times.
 */
export async function inBatches(some: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < batchesAtATime && !signal.aborted; turn += 1) {
    if ((await some(batch)) < batch) return;
  }
}

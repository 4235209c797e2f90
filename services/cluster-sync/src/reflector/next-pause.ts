const shortest = 800;
const longest = 30_000;

/** The next pause after a failure: random between the shortest and three times the last, so that clients spread out. */
export function nextPause(lastPauseMs: number, random: number): number {
  const widest = Math.max(lastPauseMs, shortest) * 3;
  return Math.min(longest, Math.round(shortest + random * (widest - shortest)));
}

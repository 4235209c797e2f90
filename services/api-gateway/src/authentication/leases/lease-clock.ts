/** A jump beyond this is no correction of a clock, but time in which the machine stood still. */
const suspiciousMs = 50;

/**
 * The clock of a lease, in ms. On a suspended machine the monotonic clock may stand still; what the wall clock jumped ahead
 * meanwhile counts as well. Setting back the wall clock changes nothing.
 */
export function createLeaseClock(monotonic = () => performance.now(), wall = () => Date.now()): () => number {
  let last = { monotonic: monotonic(), wall: wall() };
  let suspendedMs = 0;

  return () => {
    const now = { monotonic: monotonic(), wall: wall() };
    const ahead = now.wall - last.wall - (now.monotonic - last.monotonic);
    if (ahead > suspiciousMs) suspendedMs += ahead;
    last = now;
    return now.monotonic + suspendedMs;
  };
}

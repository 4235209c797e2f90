/** A longer jump of the wall clock means that the machine was suspended, not that its clock was corrected. */
const suspiciousMs = 50;

/**
 * The clock of a lease, in ms. The monotonic clock may stand still while the machine is suspended, so jumps of the wall clock
 * count as well. Setting the wall clock back has no effect.
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

/**
 * How long a test waits for a condition before it fails, in ms. A condition that holds ends the wait at once, so patience costs
 * nothing; a machine that is busy, or stalls for seconds, fails no test that is right.
 */
export const patienceMs = 30_000;

/** The limit of a whole test, and of a hook that starts servers: room for several waits. */
export const patienceOfTestMs = 8 * patienceMs;

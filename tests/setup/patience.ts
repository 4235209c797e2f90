/**
 * How many ms a test waits for a condition before it fails. The wait ends as soon as the condition holds, so a long limit costs
 * nothing, and correct tests pass even if the machine is busy or stalls for seconds.
 */
export const patienceMs = 30_000;

/** The limit of a whole test, or of a hook that starts servers: enough for several waits. */
export const patienceOfTestMs = 8 * patienceMs;

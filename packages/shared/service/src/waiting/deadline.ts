import { AsyncLocalStorage } from 'node:async_hooks';

const deadlines = new AsyncLocalStorage<number>();

/** Runs work whose result is useless after `deadline`, on the clock of `performance.now()`. */
export const withDeadline = <T>(deadline: number, work: () => T): T => deadlines.run(deadline, work);

/** The deadline of the current work; undefined in work without one, such as a loop. */
export const currentDeadline = (): number | undefined => deadlines.getStore();

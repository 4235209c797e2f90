import { AsyncLocalStorage } from 'node:async_hooks';

const deadlines = new AsyncLocalStorage<number>();

/** Runs work of which nobody needs the result after `deadline`, on the clock of `performance.now()`. */
export const withDeadline = <T>(deadline: number, work: () => T): T => deadlines.run(deadline, work);

/** That of the work in which it is called; undefined in work that has none, such as a loop. */
export const currentDeadline = (): number | undefined => deadlines.getStore();

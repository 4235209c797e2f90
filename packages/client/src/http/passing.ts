import type { Problem } from './answer.ts';

/** What may succeed when it is tried again: the platform is unreachable, busy or limits requests. */
export const passing: ReadonlySet<Problem['code']> = new Set([
  'unreachable',
  'unavailable',
  'timeout',
  'too_many_requests',
]);

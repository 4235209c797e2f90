import type { Problem } from './answer.ts';

/** A repeat may succeed: the platform is unreachable, busy or limits requests. */
export const passing: ReadonlySet<Problem['code']> = new Set([
  'unreachable',
  'unavailable',
  'timeout',
  'too_many_requests',
]);

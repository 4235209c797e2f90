import { randomUUID } from 'node:crypto';

/** The caller's request id if it is well-formed (it appears in logs), else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,100}$/.test(header) ? header : randomUUID();
}

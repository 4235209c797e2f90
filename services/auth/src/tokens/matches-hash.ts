import { timingSafeEqual } from 'node:crypto';

const nobodysHash = Buffer.alloc(32);

/** Takes as long for an unknown token as for a wrong secret. */
export function matchesHash(presented: Buffer, stored: Buffer | undefined): boolean {
  const equal = timingSafeEqual(presented, stored ?? nobodysHash);
  return equal && stored !== undefined;
}

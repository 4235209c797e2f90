import { timingSafeEqual } from 'node:crypto';

/** What the page of the platform hands to a terminal. */
export interface HandedCode {
  auth_code: string;
  iss?: string;
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));

/** Reads it from a query; null if it is incomplete or belongs to another sign-in, such as one that a foreign page started. */
export function handedCode(query: string, state: string): HandedCode | null {
  const given = new URLSearchParams(query);
  const code = given.get('code');
  const iss = given.get('iss');
  if (code === null || !isSame(given.get('state') ?? '', state)) return null;
  return { auth_code: code, ...(iss !== null && { iss }) };
}

import { hash } from 'node:crypto';

/** The letters and digits of Crockford's base 32, which people do not confuse. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What the terminal and the page show of a login, such as `7KQF-2MPD`. It says nothing about the state that it is made from. */
export function confirmationOf(state: string): string {
  const shown = [...hash('sha256', `confirm ${state}`, 'buffer').subarray(0, 8)].map((byte) => digits[byte % 32]);
  return `${shown.slice(0, 4).join('')}-${shown.slice(4).join('')}`;
}

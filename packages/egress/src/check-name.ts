import { isIP } from 'node:net';
import { EgressRefused } from './egress-errors.ts';
import type { Resolve } from './guarded-lookup.ts';

/**
 * For a host that a proxy connects to: the proxy resolves its name by itself and may take any address, so each one must be permitted.
 * Behind a proxy the outside is often not in DNS; a name without an answer is left to the rules of the proxy.
 */
export async function checkName(
  hostname: string,
  permits: (address: string) => boolean,
  resolve: Resolve,
): Promise<void> {
  if (isIP(hostname) !== 0) return;
  const addresses = await resolve(hostname, { all: true }).catch(() => []);
  if (addresses.every(({ address }) => permits(address))) return;
  throw new EgressRefused(`${hostname} resolves to an address that is not allowed`);
}

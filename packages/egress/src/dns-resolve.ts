import { Resolver } from 'node:dns/promises';
import type { Resolve } from './guarded-lookup.ts';

/**
 * Resolves by DNS only. `dns.lookup` blocks one of the few libuv threads while a name server does not answer, so one dead
 * name server would stop all name resolution and file access.
 */
export function createDnsResolve(
  options = { timeout: 2_000, tries: 2 },
  { servers = [] }: { servers?: readonly string[] } = {},
): Resolve {
  const resolver = new Resolver(options);
  // Empty: the name servers of the system.
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };
}

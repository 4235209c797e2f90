import { Resolver } from 'node:dns/promises';
import type { Resolve } from './guarded-lookup.ts';

/**
 * Resolves by DNS alone. `dns.lookup` holds one of the few threads of the process for as long as a name server keeps silent,
 * so one dead name server would stop all name resolution and file access.
 */
export function createDnsResolve(options = { timeout: 2_000, tries: 2 }): Resolve {
  const resolver = new Resolver(options);
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

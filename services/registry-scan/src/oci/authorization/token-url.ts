import { EgressRefused } from '@berth/egress/egress-errors';
import type { Challenge } from './challenge.ts';

export interface TokenRules {
  /** The registry itself. */
  registry: URL;
  /** Further hosts that may be sent its credentials. */
  authHosts: readonly string[];
  allowHttp: boolean;
}

/** Registries of the world whose token server is known to be another host. */
const knownAuthHosts = new Map([['registry-1.docker.io', 'auth.docker.io']]);

/**
 * Where to get a token. The realm is the registry's word, and whoever can choose it would be sent our credentials
 * (CVE-2020-15157 and its like): so it must be the registry's own host or one that was configured for it.
 */
export function tokenUrl(
  { realm, service }: Extract<Challenge, { scheme: 'bearer' }>,
  scope: string,
  { registry, authHosts, allowHttp }: TokenRules,
): URL {
  if (!URL.canParse(realm)) throw new EgressRefused('the realm of the registry is no URL');
  const url = new URL(realm);

  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new EgressRefused(`the realm of the registry is not https: ${url.origin}`);
  }
  const trusted = url.host === registry.host || knownAuthHosts.get(registry.host) === url.host;
  if (!trusted && !authHosts.includes(url.host)) {
    throw new EgressRefused(`the realm of the registry is on another host: ${url.host}`);
  }

  url.hash = '';
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return url;
}

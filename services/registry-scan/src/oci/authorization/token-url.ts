import { EgressRefused } from '@berth/egress/egress-errors';
import type { Challenge } from './challenge.ts';

export interface TokenRules {
  /** The registry itself. */
  registry: URL;
  /** Other hosts to which its credentials may be sent. */
  authHosts: readonly string[];
}

/** Public registries whose token server is on another host. */
const knownAuthHosts = new Map([['registry-1.docker.io', 'auth.docker.io']]);

/**
 * The URL to request a token from. The registry names it (the realm), and our credentials are sent there (CVE-2020-15157
 * and similar), so it must be on the registry's own host or on one that is configured for it.
 */
export function tokenUrl(
  { realm, service }: Extract<Challenge, { scheme: 'bearer' }>,
  scope: string,
  { registry, authHosts }: TokenRules,
): URL {
  if (!URL.canParse(realm)) throw new EgressRefused('the realm of the registry is not a URL');
  const url = new URL(realm);

  // A registry over https names no server without it, even where others may be without.
  if (url.protocol !== 'https:' && url.protocol !== registry.protocol) {
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

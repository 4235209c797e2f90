import { EgressRefused } from '@berth/egress/egress-errors';
import type { HttpReply } from '@berth/egress/http-client';

const redirects = new Set([301, 302, 303, 307, 308]);
export const maxRedirects = 4;

/** The target of a redirect; null for any other reply. */
export function redirectOf({ status, headers }: HttpReply, current: URL): URL | null {
  if (!redirects.has(status)) return null;
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, current.href)) {
    throw new EgressRefused('a redirect of the registry has no valid location');
  }
  const next = new URL(location, current);
  if (current.protocol === 'https:' && next.protocol !== 'https:') {
    throw new EgressRefused('a redirect of the registry leaves https');
  }
  return next;
}

import { EgressRefused } from '@berth/egress/egress-errors';

const longestHeader = 4096;

/**
 * The next page of a list, from its `Link` header. It must belong to the same list of the same registry, since our credentials
 * are sent there.
 */
export function nextPage(link: string | string[] | undefined, current: URL): URL | null {
  const header = [link].flat().join(', ').slice(0, longestHeader);
  const [, target] = /<([^<>]*)>\s*;[^,]*\brel="?next"?/i.exec(header) ?? [];
  if (target === undefined) return null;
  if (!URL.canParse(target, current.href)) throw new EgressRefused('the link to the next page is not a URL');

  const next = new URL(target, current);
  if (next.origin !== current.origin || next.pathname !== current.pathname) {
    throw new EgressRefused(`the link to the next page points elsewhere: ${next.origin}${next.pathname.slice(0, 100)}`);
  }
  return next;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Validator } from '../../connection/registry-session.ts';

/** A package as it was downloaded last. */
interface SeenPackage {
  digest: string;
  validator: Validator;
}

const longestUrl = 500;
const longestEtag = 200;

/** Remembers the digests of packages for which a conditional request can tell whether they have changed: so many, the newest of them. */
export function createSeenPackages(most: number) {
  const seen = new Map<string, SeenPackage>();
  return {
    at: (url: string): SeenPackage | undefined => seen.get(url),
    note(url: string, { digest, headers }: { digest: string; headers: IncomingHttpHeaders }): void {
      seen.delete(url);
      const validator = validatorIn(headers);
      if (!validator || url.length > longestUrl) return;
      seen.set(url, { digest, validator });
      const [oldest] = seen.keys();
      if (seen.size > most && oldest !== undefined) seen.delete(oldest);
    },
  };
}

/** A package may have changed twice in the second that `Last-Modified` names, so the time counts only once it is a minute old. */
const leastAgeMs = 60_000;

function validatorIn({ etag, date, 'last-modified': lastModified }: IncomingHttpHeaders): Validator | null {
  if (etag !== undefined) return etag.length <= longestEtag ? { etag } : null;
  if (lastModified === undefined || date === undefined) return null;
  return Date.parse(date) - Date.parse(lastModified) >= leastAgeMs ? { lastModified } : null;
}

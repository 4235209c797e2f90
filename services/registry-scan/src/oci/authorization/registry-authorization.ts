import { z } from 'zod';
import type { HttpClient } from '@berth/egress/http-client';
import { LRUCache } from 'lru-cache';
import { parseChallenge } from './challenge.ts';
import { parseReply } from '../../connection/parse-reply.ts';
import { basicAuthorization, type ReadCredentials } from '../../connection/read-credentials.ts';
import { RegistryError } from '../../connection/registry-error.ts';
import type { RegistryAuthorization } from '../../connection/registry-session.ts';
import type { OciSource } from '../oci-source.ts';
import { tokenUrl } from './token-url.ts';

// Only characters that are safe in a header: a line break would start another header.
const TokenText = z
  .string()
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/);
const Token = z
  .object({
    token: TokenText.optional(),
    access_token: TokenText.optional(),
    expires_in: z.number().positive().optional(),
  })
  .transform(({ token, access_token, expires_in }) => ({ text: token ?? access_token, expiresIn: expires_in ?? 60 }));

export interface OciCredentials {
  readCredentials: ReadCredentials;
  /** The registry issues them for a while, so nobody replaces them. */
  areIssued?: boolean;
}

/** A header, and the credentials that it was granted for; null without any. */
interface Granted {
  header: string;
  basic: string | null;
  until: number;
}

const maxCached = 1000;
const tokenTimeoutMs = 10_000;

/** Obtains and caches the Authorization headers of one registry, by scope. */
export function createRegistryAuthorization(
  source: OciSource,
  http: HttpClient,
  { readCredentials, areIssued = false }: OciCredentials,
): RegistryAuthorization {
  const cache = new LRUCache<string, Granted>({ max: maxCached });

  async function basicNow(): Promise<string | null> {
    const credentials = await readCredentials();
    return credentials && basicAuthorization(credentials);
  }

  return {
    async known(scope) {
      const granted = cache.get(scope);
      if (!granted || granted.until <= performance.now()) return undefined;
      // Replaced credentials end what the old ones were granted.
      return areIssued || granted.basic === (await basicNow()) ? granted.header : undefined;
    },

    async answer(challengeHeader, scope, signal) {
      cache.delete(scope);
      const challenge = parseChallenge(challengeHeader);
      const basic = await basicNow();

      function remember(header: string, seconds: number): string {
        // Ten seconds early, so that a token does not expire in flight.
        cache.set(scope, { header, basic, until: performance.now() + (seconds - 10) * 1000 });
        return header;
      }

      if (challenge?.scheme === 'basic' && basic) return remember(basic, 300);
      if (challenge?.scheme !== 'bearer') {
        throw new RegistryError('denied', `${source.domain} requires credentials, and none are configured for it`);
      }

      const url = tokenUrl(challenge, scope, { ...source, registry: source.url });
      const reply = await http.send(url, {
        headers: { accept: 'application/json', ...(basic && { authorization: basic }) },
        maxBytes: 64 * 1024,
        signal: AbortSignal.any([signal, AbortSignal.timeout(tokenTimeoutMs)]),
      });
      if (reply.status >= 500 || reply.status === 429) {
        throw new RegistryError('unavailable', `${url.host} answered ${reply.status} instead of a token`);
      }
      // Also refuses redirects: token servers are configured, not discovered.
      if (reply.status !== 200) throw new RegistryError('denied', `${url.host} issued no token (${reply.status})`);

      const { text, expiresIn } = parseReply(reply, Token, 'a token');
      if (text === undefined) throw new RegistryError('malformed', `${url.host} answered without a token`);
      return remember(`Bearer ${text}`, expiresIn);
    },
  };
}

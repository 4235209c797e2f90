import { setTimeout as sleep } from 'node:timers/promises';
import { EgressRefused, ReplyTooLarge } from '@berth/egress/egress-errors';
import type { HttpClient, HttpReply, HttpRequest } from '@berth/egress/http-client';
import { ProxyRefused } from '@berth/service/proxy/tunnel-through';
import { maxRedirects, redirectOf } from './redirect-of.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistrySource } from './registry-source.ts';
import { type Attempt, retryDelay } from './retry-delay.ts';

export interface RegistryRequest extends Pick<HttpRequest, 'maxBytes' | 'signal' | 'consume'> {
  method?: 'GET' | 'HEAD';
  /** What the credentials are needed for, such as `repository:charts/web:pull`. */
  scope: string;
  accept: string;
  /** The `ETag` or `Last-Modified` of the answer that is known already: 304 if it is still the current one. */
  known?: Validator | undefined;
  /** The deadline of one attempt. */
  timeoutMs: number;
}

export interface Validator {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

export interface RegistrySession {
  /** Sends a request with authorization, follows redirects, and retries if that may help. Never resolves to 401, 403, 429 or 5xx. */
  request(url: URL, request: RegistryRequest): Promise<HttpReply>;
}

/** The `Authorization` headers of one registry, by scope. */
export interface RegistryAuthorization {
  /** The header to send before the registry asks for one, if any. */
  known(scope: string): Promise<string | undefined>;
  /** Answers the challenge of a 401 with a new header; throws `denied` if that is impossible. */
  answer(challengeHeader: string | undefined, scope: string, signal: AbortSignal): Promise<string>;
}

/** Called for each request with the status of its answer; null without one. */
export type OnRequest = (status: number | null) => void;

export interface SessionDeps {
  onRequest: OnRequest;
  source: Pick<RegistrySource, 'domain' | 'url'>;
  http: HttpClient;
  authorization: RegistryAuthorization;
}

const isFinal = (error: unknown): boolean =>
  (error instanceof RegistryError && error.reason !== 'unavailable') ||
  error instanceof EgressRefused ||
  error instanceof ReplyTooLarge;

export function createRegistrySession({ source, http, authorization, onRequest }: SessionDeps): RegistrySession {
  async function send(url: URL, request: RegistryRequest, signal: AbortSignal, header: string | undefined) {
    const { method = 'GET', maxBytes, consume } = request;
    let at = url;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      // Credentials go to the registry only, not to the host that stores its packages.
      const isOwn = at.origin === source.url.origin;
      const headers = { ...headersOf(request), ...(header !== undefined && isOwn && { authorization: header }) };
      const reply = await http.send(at, { method, headers, maxBytes, signal, consume }).catch((error: unknown) => {
        if (!(error instanceof EgressRefused)) onRequest(null);
        throw error;
      });
      onRequest(reply.status);
      const next = redirectOf(reply, at);
      if (next === null) return { reply, at };
      at = next;
    }
    throw new EgressRefused(`${source.domain} redirects more than ${maxRedirects} times`);
  }

  async function attempt(url: URL, request: RegistryRequest): Promise<HttpReply> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
    const first = await send(url, request, signal, await authorization.known(request.scope));
    // Answers only a challenge of the registry itself, not of a host to which it redirected us.
    if (first.reply.status !== 401 || first.at.origin !== source.url.origin) return first.reply;

    const header = await authorization.answer(first.reply.headers['www-authenticate'], request.scope, signal);
    return (await send(url, request, signal, header)).reply;
  }

  const noAnswer = (error: unknown): string =>
    error instanceof ProxyRefused
      ? `the proxy opened no tunnel for ${source.domain} (${error.status})`
      : `${source.domain} does not answer`;

  return {
    async request(url, request) {
      for (let count = 1; ; count += 1) {
        let outcome: Attempt = 'no answer';
        let failure: RegistryError;
        try {
          const reply = await attempt(url, request);
          outcome = { status: reply.status, retryAfter: reply.headers['retry-after'] };
          if (reply.status === 401 || reply.status === 403) {
            throw new RegistryError('denied', `${source.domain} refuses access (${reply.status})`);
          }
          if (reply.status < 500 && reply.status !== 429) return reply;
          failure = new RegistryError('unavailable', `${source.domain} answered ${reply.status}`);
        } catch (error) {
          request.signal.throwIfAborted();
          if (isFinal(error)) throw error;
          failure =
            error instanceof RegistryError
              ? error
              : new RegistryError('unavailable', noAnswer(error), { cause: error });
        }

        const delay = retryDelay(outcome, count, { now: new Date(), random: Math.random() });
        if (delay === null) throw failure;
        await sleep(delay, undefined, { signal: request.signal });
      }
    },
  };
}

function headersOf({ accept, known }: RegistryRequest): Record<string, string> {
  const headers: Record<string, string> = { accept };
  if (known?.etag !== undefined) headers['if-none-match'] = known.etag;
  if (known?.lastModified !== undefined) headers['if-modified-since'] = known.lastModified;
  return headers;
}

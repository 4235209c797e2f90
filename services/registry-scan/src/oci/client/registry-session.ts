import { setTimeout as sleep } from 'node:timers/promises';
import { EgressRefused, ReplyTooLarge } from '@berth/egress/egress-errors';
import type { HttpClient, HttpReply } from '@berth/egress/http-client';
import { maxRedirects, redirectOf } from '../replies/redirect-of.ts';
import { createRegistryAuthorization } from '../authorization/registry-authorization.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistrySource } from '../registry-source.ts';
import { type Attempt, retryDelay } from '../replies/retry-delay.ts';

export interface RegistryRequest {
  method?: 'GET' | 'HEAD';
  /** The scope of the token, such as `repository:charts/web:pull`. */
  scope: string;
  accept: string;
  maxBytes: number;
  /** The deadline of one attempt. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface RegistrySession {
  /** Sends a request with authorization, follows redirects, and retries if that may help. Never resolves to 401, 403, 429 or 5xx. */
  request(url: URL, request: RegistryRequest): Promise<HttpReply>;
}

const isFinal = (error: unknown): boolean =>
  (error instanceof RegistryError && error.reason !== 'unavailable') ||
  error instanceof EgressRefused ||
  error instanceof ReplyTooLarge;

export function createRegistrySession(source: RegistrySource, http: HttpClient): RegistrySession {
  const authorization = createRegistryAuthorization(source, http);

  async function send(url: URL, request: RegistryRequest, signal: AbortSignal, header: string | undefined) {
    const { method = 'GET', accept, maxBytes } = request;
    let at = url;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      // Credentials go to the registry only, not to the host that stores its blobs.
      const headers = { accept, ...(header !== undefined && at.host === source.url.host && { authorization: header }) };
      const reply = await http.send(at, { method, headers, maxBytes, signal });
      const next = redirectOf(reply, at);
      if (next === null) return { reply, at };
      at = next;
    }
    throw new EgressRefused(`${source.domain} redirects more than ${maxRedirects} times`);
  }

  async function attempt(url: URL, request: RegistryRequest): Promise<HttpReply> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
    const first = await send(url, request, signal, authorization.known(request.scope));
    // Answers only a challenge of the registry itself, not of a host to which it redirected us.
    if (first.reply.status !== 401 || first.at.host !== source.url.host) return first.reply;

    const header = await authorization.answer(first.reply.headers['www-authenticate'], request.scope, signal);
    return (await send(url, request, signal, header)).reply;
  }

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
              : new RegistryError('unavailable', `${source.domain} does not answer`, { cause: error });
        }

        const delay = retryDelay(outcome, count, { now: new Date(), random: Math.random() });
        if (delay === null) throw failure;
        await sleep(delay, undefined, { signal: request.signal });
      }
    },
  };
}

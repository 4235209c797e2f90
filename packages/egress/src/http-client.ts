import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { ProxiedAgent } from '@berth/service/proxy/proxied-agent';
import { proxyFor, proxyVariables } from '@berth/service/proxy/proxy-for';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { addressRules } from './address-rules.ts';
import { checkName } from './check-name.ts';
import { EgressRefused, ReplyTooLarge } from './egress-errors.ts';
import { guardedLookup, type Resolve, systemResolve } from './guarded-lookup.ts';
import { boundedBody, readUpTo } from './read-bounded.ts';

export interface HttpRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  /** A longer body is an error, unless its beginning suffices. */
  maxBytes: number;
  beginningSuffices?: boolean;
  /** Reads the body of a 200 as it arrives; the reply has an empty one then. */
  consume?: ((body: AsyncIterable<Uint8Array>) => Promise<void>) | undefined;
  /** Ends the exchange at any stage: resolving, connecting, sending, reading the body. */
  signal: AbortSignal;
}

export interface HttpReply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** The body was longer; this is its beginning. */
  isCut: boolean;
}

export interface HttpClient extends Disposable {
  /** Sends one request to one checked address; follows no redirect. */
  send(url: URL, request: HttpRequest): Promise<HttpReply>;
}

export interface EgressPolicy {
  /** Allows plain http, for registries configured with it. */
  allowHttp: boolean;
  /** Addresses or CIDR ranges that are allowed although they would be denied. */
  allowAddresses: readonly string[];
  /** Whether connections stay open for the next request; each costs some 50 KB. */
  keepAlive?: boolean;
  /** PEM certificates to trust in addition to those of the system. */
  ca?: string | undefined;
  resolve?: Resolve;
}

/** An HTTP client for hosts that are named by strangers. */
export function createHttpClient(policy: EgressPolicy): HttpClient {
  const { allowHttp, allowAddresses, keepAlive = true, ca, resolve = systemResolve } = policy;
  const permits = addressRules(allowAddresses);
  const lookup = guardedLookup(permits, resolve);
  const limits = keepAlive ? { keepAlive, maxSockets: 8, maxFreeSockets: 2, timeout: 30_000 } : { keepAlive };
  // Created once: a context with its own certificates takes about 10 ms, and Node would create one per connection.
  const trust = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...getCACertificates(), ca] }) };
  const secure = new ProxiedAgent({ ...limits, ...trust, lookup });
  const plain = new http.Agent({ ...limits, lookup });
  // No rule restricts the proxy itself, which the operator chose.
  const plainByProxy = new http.Agent({ ...limits, proxyEnv: { HTTP_PROXY: proxyVariables()['HTTP_PROXY'] } });

  async function agentFor(url: URL, signal: AbortSignal): Promise<http.Agent | https.Agent> {
    const { protocol, hostname, username, password } = url;
    if (username || password) throw new EgressRefused('a URL with credentials in it is not allowed');
    if (protocol !== 'https:' && protocol !== 'http:')
      throw new EgressRefused(`the protocol ${protocol} is not supported`);
    if (protocol === 'http:' && !allowHttp) throw new EgressRefused(`plain http to ${hostname} is not allowed`);
    // Node does not call the lookup for a literal address.
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) && !permits(literal)) throw new EgressRefused(`the address ${hostname} is not allowed`);
    const proxy = proxyFor(url);
    if (proxy !== null) await untilAborted(checkName(literal, permits, resolve), signal);
    if (protocol === 'https:') return secure;
    return proxy === null ? plain : plainByProxy;
  }

  return {
    async send(url, { method = 'GET', headers = {}, body, maxBytes, beginningSuffices = false, consume, signal }) {
      signal.throwIfAborted();
      const agent = await agentFor(url, signal);
      const { request } = url.protocol === 'https:' ? https : http;
      const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
        request(url, { method, headers, agent, signal, maxHeaderSize: 16 * 1024 }, resolve)
          .on('error', reject)
          .end(body);
      });
      // Node reports the abort of a request only once it has a connection, which a proxy can delay.
      const response = await untilAborted(answered, signal);
      if (consume && response.statusCode === 200) {
        await consume(boundedBody(response, maxBytes));
        return { status: 200, headers: response.headers, body: Buffer.alloc(0), isCut: false };
      }
      const { bytes, isCut } = await readUpTo(response, maxBytes);
      if (isCut && !beginningSuffices) throw new ReplyTooLarge(`the body is larger than ${maxBytes} bytes`);
      return { status: response.statusCode ?? 0, headers: response.headers, body: bytes, isCut };
    },

    [Symbol.dispose]() {
      for (const agent of [secure, plain, plainByProxy]) agent.destroy();
    },
  };
}

import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { addressRules } from './address-rules.ts';
import { EgressRefused } from './egress-errors.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { readBounded } from './read-bounded.ts';

export interface HttpRequest {
  method?: 'GET' | 'HEAD';
  headers?: Record<string, string>;
  /** A longer body is an error, not a truncated one. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface HttpReply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface HttpClient extends Disposable {
  /** One request to one address that was checked; follows nothing. */
  send(url: URL, request: HttpRequest): Promise<HttpReply>;
}

export interface EgressPolicy {
  /** Plain http, for registries that are told to be so. */
  allowHttp: boolean;
  /** Addresses or CIDR ranges that are open although they would be denied. */
  allowAddresses: readonly string[];
}

/** The one way out of this service. */
export function createHttpClient({ allowHttp, allowAddresses }: EgressPolicy): HttpClient {
  const permits = addressRules(allowAddresses);
  const lookup = guardedLookup(permits);
  const limits = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2, timeout: 30_000, lookup };
  const agents = { 'https:': new https.Agent(limits), 'http:': new http.Agent(limits) };

  function agentFor({ protocol, hostname, username, password }: URL): http.Agent | https.Agent {
    if (username || password) throw new EgressRefused('a URL with credentials in it is not followed');
    if (protocol !== 'https:' && protocol !== 'http:') throw new EgressRefused(`${protocol} is not spoken`);
    if (protocol === 'http:' && !allowHttp) throw new EgressRefused(`${hostname} would be asked over plain http`);
    // Node resolves no name for a literal address, so the lookup never sees it.
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) && !permits(literal)) throw new EgressRefused(`the address ${hostname} is not allowed`);
    return agents[protocol];
  }

  return {
    async send(url, { method = 'GET', headers = {}, maxBytes, signal }) {
      const agent = agentFor(url);
      const { request } = url.protocol === 'https:' ? https : http;
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        request(url, { method, headers, agent, signal, maxHeaderSize: 16 * 1024 }, resolve)
          .on('error', reject)
          .end();
      });
      const body = await readBounded(response, maxBytes);
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    },

    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

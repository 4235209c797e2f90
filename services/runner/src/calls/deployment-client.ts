import { createDnsResolve } from '@berth/egress/dns-resolve';
import { createHttpClient, type EgressPolicy } from '@berth/egress/http-client';
import { EgressRefused } from '@berth/egress/egress-errors';
import { describeCallFailure } from './describe-call-failure.ts';

export interface DeploymentCall {
  /** The hostname of its ingress. */
  host: string;
  /** As written by the chart's author. */
  path: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** JSON text. */
  body?: string | undefined;
  /** A JWT whose audience is the deployment. */
  token: string;
}

interface CallLimits {
  /** Limit for the whole exchange, from resolving to the last byte of the body. */
  timeoutMs: number;
  maxBytes: number;
  /** A longer answer is cut instead of refused. */
  beginningSuffices?: boolean;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  isCut: boolean;
}

/** Why a deployment could not be called, in our own words. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

export interface DeploymentClient extends Disposable {
  /** One call, sent once. Every response counts as the answer, even a redirect. */
  call(call: DeploymentCall, limits: CallLimits): Promise<Answer>;
}

export interface DeploymentClientOptions extends Pick<EgressPolicy, 'allowAddresses' | 'ca' | 'resolve'> {
  /** Name servers for the hostnames of deployments, if those of the system do not know them. */
  nameServers?: readonly string[];
  /** Where ingress controllers listen. */
  port: number;
}

/** Calls into deployments: https only, to addresses that were checked, bounded in time and bytes. */
export function createDeploymentClient({
  port,
  resolve,
  nameServers = [],
  ...policy
}: DeploymentClientOptions): DeploymentClient {
  // With ten thousand deployments, an open connection for each would take half a gigabyte.
  const http = createHttpClient({
    ...policy,
    allowHttp: false,
    keepAlive: false,
    resolve: resolve ?? createDnsResolve(undefined, { servers: nameServers }),
  });

  return {
    async call({ token, method, body, ...target }, { timeoutMs, maxBytes, beginningSuffices = false, signal }) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'berth',
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
      };
      try {
        const url = urlOf(target, port);
        const reply = await http.send(url, {
          method,
          headers,
          ...(body !== undefined && { body }),
          // Read a bit further, so that a token across the limit is whole: half a token would not be redacted.
          maxBytes: beginningSuffices ? maxBytes + token.length : maxBytes,
          beginningSuffices,
          signal: deadline,
        });
        const text = reply.body.toString('utf8').replaceAll(token, '***');
        const isCut = reply.isCut || text.length > maxBytes;
        return { status: reply.status, text: isCut ? text.slice(0, maxBytes).toWellFormed() : text, isCut };
      } catch (error) {
        signal.throwIfAborted();
        const cause: unknown = deadline.aborted ? deadline.reason : error;
        throw new CallFailed(describeCallFailure(cause, { host: target.host, timeoutMs }), { cause: error });
      }
    },

    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

/** The chart's author chooses the path, not the host: `//elsewhere` and `/\elsewhere` would name another host. */
function urlOf({ host, path }: Pick<DeploymentCall, 'host' | 'path'>, port: number): URL {
  const base = new URL(`https://${host}:${port}/`);
  const url = new URL(`/${path.replace(/^\/+/, '')}`, base);
  if (url.origin !== base.origin) throw new EgressRefused('the path of the call leads to another host');
  return url;
}

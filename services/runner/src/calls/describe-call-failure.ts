import { EgressRefused, ReplyTooLarge } from '@berth/egress/egress-errors';
import { ProxyRefused } from '@berth/service/proxy/tunnel-through';

/** Why a deployment did not answer, in our own words: the error's message may quote the request or the answer. */
export function describeCallFailure(error: unknown, { host, timeoutMs }: { host: string; timeoutMs: number }): string {
  if (error instanceof EgressRefused || error instanceof ReplyTooLarge) return `${host}: ${error.message}`;
  if (error instanceof ProxyRefused) return `the proxy opened no tunnel to ${host} (${error.status})`;
  const code = codeOf(error);
  if (isTimeout(error)) return `${host} did not answer completely within ${timeoutMs / 1_000} s`;
  if (code === 'ECONNREFUSED') return `${host} refused the connection`;
  if (nameCodes.has(code)) return `the name ${host} cannot be resolved`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `there is no route to ${host}`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${host} cut the connection`;
  if (/^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code)) {
    return `the certificate of ${host} is not trusted (${code})`;
  }
  return `${host} sent no usable answer${code && ` (${code})`}`;
}

const nameCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT']);

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code) ? error.code : '';
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));

import { ProxyRefused } from '@berth/service/proxy/tunnel-through';
import { AnswerTooLarge, KubeError, NoCredential } from './kube-error.ts';

/** Why a call to a cluster failed, as a label of a metric: a closed set, and each call has one. */
export type FailureCause =
  | 'no_credential'
  | 'denied'
  | 'overloaded'
  | 'not_ready'
  | 'refused'
  | 'too_large'
  | 'proxy'
  | 'connection_refused'
  | 'name'
  | 'no_route'
  | 'cut'
  | 'timeout'
  | 'certificate'
  | 'other';

export function failureCause(error: unknown): FailureCause {
  if (error instanceof KubeError) return causeOfAnswer(error.status);
  if (error instanceof AnswerTooLarge) return 'too_large';
  if (error instanceof NoCredential) return 'no_credential';
  if (error instanceof ProxyRefused) return 'proxy';

  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'no_route';
  if (/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_.*)$/.test(code)) return 'cut';
  if (code === 'ETIMEDOUT' || isTimeout(error)) return 'timeout';
  return isAboutCertificates(code) ? 'certificate' : 'other';
}

function causeOfAnswer(status: number): FailureCause {
  if (status === 401 || status === 403) return 'denied';
  if (status === 429) return 'overloaded';
  return status >= 500 ? 'not_ready' : 'refused';
}

/** Why a call to a cluster failed, in fixed phrases, which cannot contain a secret. */
export function describeFailure(error: unknown, server: string): string {
  const host = new URL(server).host;
  if (error instanceof KubeError) return describeAnswer(error.status, host);
  if (error instanceof NoCredential) return `there is no credential for ${host}: ${error.message}`;
  if (error instanceof ProxyRefused) return `the proxy in front of ${host} opened no tunnel to it (${error.status})`;

  const code = codeOf(error);
  const cause = failureCause(error);
  if (cause === 'too_large') return `${host} sent an answer that is too large`;
  if (cause === 'connection_refused') return `${host} refused the connection`;
  if (cause === 'name') return `the host name of ${host} cannot be resolved`;
  if (cause === 'no_route') return `there is no route to ${host}`;
  if (cause === 'cut') return `${host} cut the connection`;
  if (cause === 'timeout') return `${host} did not answer in time`;
  if (cause === 'certificate') return `the certificate of ${host} is not trusted (${code})`;
  return `${host} sent no usable answer${code && ` (${code})`}`;
}

function describeAnswer(status: number, host: string): string {
  if (status === 401) return `${host} refused the credential of Berth (401)`;
  if (status === 403) return `the credential of Berth lacks a permission at ${host} (403)`;
  if (status === 429) return `${host} is overloaded (429)`;
  return status >= 500 ? `${host} reports that it is not ready (${status})` : `${host} refused the request (${status})`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code) ? error.code : '';
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));

const isAboutCertificates = (code: string): boolean =>
  /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code);

import { ProxiedAgent } from '@berth/service/proxy/proxied-agent';
import { RegistryError } from '../../connection/registry-error.ts';
import type { OnRequest } from '../../connection/registry-session.ts';

const throttled = /Throttl|TooManyRequests|OverLimit|ServerException|ServiceUnavailable|Timeout/;

/** Runs requests to an API of AWS, and says in the words of registries what went wrong. */
export const awsRequests =
  (api: string, onRequest: OnRequest) =>
  async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      const answer = await work();
      onRequest(200);
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      const status = statusOf(error);
      onRequest(status);
      const name = error instanceof Error ? error.name : '';
      const isTransient = status === null || status >= 500 || status === 429 || throttled.test(name);
      // The message of a refusal names the identity that lacks a right.
      const reason = isTransient && name !== 'CredentialsProviderError' ? 'unavailable' : 'denied';
      throw new RegistryError(reason, `${api}: ${name || 'no answer'}`, { cause: error });
    }
  };

/** The options of a request with a deadline. */
export const withinTime = (ms: number, signal?: AbortSignal): { abortSignal: AbortSignal } => ({
  abortSignal: AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]),
});

/** The settings of a client that goes out through the proxy; the SDK by itself knows none. */
export const awsRequestHandler = () => ({ httpsAgent: new ProxiedAgent({ keepAlive: true, maxSockets: 50 }) });

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return null;
  const { $metadata: metadata } = error;
  return typeof metadata === 'object' &&
    metadata !== null &&
    'httpStatusCode' in metadata &&
    typeof metadata.httpStatusCode === 'number'
    ? metadata.httpStatusCode
    : null;
}

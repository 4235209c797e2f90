import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EKSClientResolvedConfig } from '@aws-sdk/client-eks';
import type { ChangingToken, PresentToken } from './cluster-provider.ts';

export interface EksTokenOptions {
  readonly region: string;
  readonly clusterName: string;
  /** The credentials and the hash of the SDK. */
  readonly config: Pick<EKSClientResolvedConfig, 'credentials' | 'sha256'>;
  /** The host of STS in the region. */
  readonly stsHost: string;
}

/** EKS accepts a token for this long after its signature. */
const lifetimeMs = 15 * 60_000;
const renewBeforeMs = 5 * 60_000;
/** How long STS accepts the URL itself. */
const urlSeconds = 60;

/**
 * A token for an EKS cluster: a presigned request to STS, which EKS sends to learn who the bearer is. It is signed locally with
 * the signer of the SDK.
 */
export function eksToken({ region, clusterName, config, stsHost }: EksTokenOptions): ChangingToken {
  const signer = new SignatureV4({
    service: 'sts',
    region,
    credentials: config.credentials,
    sha256: config.sha256,
  });
  let kept: { present: PresentToken; until: number } | null = null;

  return {
    source: `eks ${region} ${clusterName}`,
    async current() {
      if (kept && performance.now() < kept.until) return kept.present;
      const signingDate = new Date();
      const request = new HttpRequest({
        method: 'GET',
        protocol: 'https:',
        hostname: stsHost,
        path: '/',
        query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
        headers: { host: stsHost, 'x-k8s-aws-id': clusterName },
      });
      const signed = await signer.presign(request, { expiresIn: urlSeconds, signingDate });
      const query = new URLSearchParams(
        Object.entries(signed.query ?? {}).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const url = `https://${stsHost}/?${query.toString()}`;
      const present = {
        token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
        expiresAt: new Date(signingDate.getTime() + lifetimeMs).toISOString(),
      };
      kept = { present, until: performance.now() + lifetimeMs - renewBeforeMs };
      return present;
    },
  };
}

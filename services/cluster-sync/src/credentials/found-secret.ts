import { managedBy, serviceCreds } from '@berth/contracts/fields/kubernetes-names';
import { hash } from 'node:crypto';
import { z } from 'zod';

const labels = z.record(z.string(), z.string()).nullish();
const Secret = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), uid: z.string(), labels, annotations: labels }),
  data: z.record(z.string(), z.string()).nullish(),
});

/** The contents of `service-creds`. They hold a token: never log them, never store them. */
export interface Credentials {
  readonly access_token: string;
  readonly server_url: string;
  readonly expires_at: string;
}

/** The Secret `service-creds` of a namespace, without its contents. */
export interface FoundSecret {
  readonly namespace: string;
  readonly uid: string;
  /** The digest of its contents; null if it lacks our label. */
  readonly digest: string | null;
  /** Whether Helm made it, as part of a release. */
  readonly isOfChart: boolean;
}

/** Null for any other object. */
export function foundSecret(object: unknown): FoundSecret | null {
  const { data: secret } = Secret.safeParse(object);
  if (secret?.metadata.name !== serviceCreds) return null;
  const { namespace, uid, labels, annotations } = secret.metadata;
  const isOurs = labels?.[managedBy.label] === managedBy.value;
  const text = (key: keyof Credentials) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
  const contents = {
    access_token: text('access_token'),
    server_url: text('server_url'),
    expires_at: text('expires_at'),
  };
  return {
    namespace,
    uid,
    digest: isOurs ? credentialsDigest(contents) : null,
    isOfChart: labels?.[managedBy.label] === 'Helm' && annotations?.['meta.helm.sh/release-name'] !== undefined,
  };
}

export const credentialsDigest = ({ access_token, server_url, expires_at }: Credentials): string =>
  hash('sha256', JSON.stringify([access_token, server_url, expires_at]), 'base64url');

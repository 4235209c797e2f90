import { stringify } from 'yaml';

export interface KubeconfigParts {
  readonly context: string;
  readonly url: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A kubeconfig without references to files, so it can be copied anywhere. */
export function kubeconfig({ context, url, authority, certificate, key }: KubeconfigParts): string {
  const user = `${context}-admin`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [{ name: context, cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } }],
    contexts: [{ name: context, context: { cluster: context, user } }],
  });
}

const base64 = (pem: string) => Buffer.from(pem).toString('base64');

import type { KubeAccess } from '@berth/kube/kube-access';
import { stringify } from 'yaml';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A self-contained kubeconfig. It holds a token: never log it, never store it. */
export function kubeconfigOf({ server, ca, isInsecure, proxyUrl }: KubeAccess, token: string): string {
  const way = {
    ...(ca !== null && { 'certificate-authority-data': base64(ca) }),
    ...(isInsecure && { 'insecure-skip-tls-verify': true }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'berth',
    clusters: [{ name: 'berth', cluster: { server, ...way } }],
    users: [{ name: 'berth', user: { token } }],
    contexts: [{ name: 'berth', context: { cluster: 'berth', user: 'berth' } }],
  });
}

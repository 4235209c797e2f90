import type { JsonObject } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';

interface Addressed {
  cluster: { name: string; ingress_domain: string | null };
  /** The deployment's name; empty for charts with one deployment per cluster. */
  name: string;
  namespace: string;
}

export interface IngressTarget extends Addressed {
  cluster: Addressed['cluster'] & { ingress_class: string | null; ingress_tls_secret_name: string | null };
}

export type HostnameFormat = 'KindAndName' | 'Name';

/** The `ingress` section of a scaffolded chart; disabled if the cluster has no TLS secret. */
export function ingressValues(target: IngressTarget, format: HostnameFormat): JsonObject {
  const { ingress_class, ingress_tls_secret_name } = target.cluster;
  if (ingress_tls_secret_name === null) return { enabled: false, className: null, hosts: [], tls: [] };

  const host = ingressHost(target, format);
  return {
    enabled: true,
    className: ingress_class,
    hosts: [{ host, paths: [{ path: '/', pathType: 'Prefix' }] }],
    tls: [{ secretName: ingress_tls_secret_name, hosts: [host] }],
  };
}

/** The deployment's address from outside the cluster. */
export const ingressHost = ({ cluster, name, namespace }: Addressed, format: HostnameFormat): string =>
  // A deployment without a name is identified by its namespace alone.
  hostIn(cluster, format === 'Name' && name !== '' ? name : namespace);

export function hostIn(cluster: Addressed['cluster'], label: string): string {
  if (cluster.ingress_domain === null) {
    throw new AppError(
      'unprocessable',
      `Cluster ${cluster.name} has no ingress domain for the hostname of the deployment: set its ingress_domain`,
    );
  }
  return `${label}.${cluster.ingress_domain}`;
}

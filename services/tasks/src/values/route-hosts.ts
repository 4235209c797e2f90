import type { RouteHosts } from '@berth/contracts/resources/tasks/runner-tasks';
import { type HostnameFormat, type IngressTarget, ingressHost } from './ingress-values.ts';

interface Routed {
  cluster: Pick<IngressTarget['cluster'], 'name' | 'ingress_domain'>;
  deployment: { name: string; namespace: string };
  /** Null: the chart has no ingress. */
  format: HostnameFormat | null;
  ownUrl: string;
}

/** The hosts of a deployment, and those that it must leave to others. */
export function routeHosts({ cluster, deployment, format, ownUrl }: Routed): RouteHosts {
  const { ingress_domain: domain } = cluster;
  const own = domain === null || format === null ? null : ingressHost({ cluster, ...deployment }, format);
  return {
    own: own?.toLowerCase() ?? null,
    domain: domain?.toLowerCase() ?? null,
    berth: [new URL(ownUrl).hostname.toLowerCase()],
  };
}

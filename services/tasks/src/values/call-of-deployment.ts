import { type HostnameFormat, ingressHost } from './ingress-values.ts';

/** The deployment to be called, and its cluster. */
interface Called {
  cluster_name: string;
  ingress_domain: string | null;
  deployment_name: string;
  namespace: string;
}

export const hostOfCall = (
  { cluster_name, ingress_domain, deployment_name, namespace }: Called,
  format: HostnameFormat,
): string => ingressHost({ cluster: { name: cluster_name, ingress_domain }, name: deployment_name, namespace }, format);

/** Null for a GET: servers disagree on how to handle one with a body. */
export const bodyFor = (method: string, value: object | string | number | boolean): string | null =>
  method === 'GET' ? null : JSON.stringify(value);

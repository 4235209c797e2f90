import { AppError } from '@berth/contracts/errors';
import { hostIn } from './ingress-values.ts';

/** What is installed, and its cluster. */
interface Called {
  cluster_name: string;
  ingress_domain: string | null;
  /** The first label of its hostname, which no other deployment can have. */
  hostname: string | null;
  namespace: string;
}

export function hostOfCall({ cluster_name, ingress_domain, hostname, namespace }: Called): string {
  if (hostname === null) {
    const words = `${namespace} has no hostname of its own, so it cannot be called: give it a name that no other deployment of the cluster has`;
    throw new AppError('unprocessable', words);
  }
  return hostIn({ name: cluster_name, ingress_domain }, hostname);
}

/** Null for a GET: servers disagree on how to handle one with a body. */
export const bodyFor = (method: string, value: object | string | number | boolean): string | null =>
  method === 'GET' ? null : JSON.stringify(value);

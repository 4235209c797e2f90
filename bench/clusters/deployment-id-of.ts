import { hash } from 'node:crypto';

/** The deployment id of a namespace: deterministic, but different in each cluster. */
export function deploymentIdOf(cluster: string, namespace: string): string {
  const hex = hash('sha1', `${cluster}/${namespace}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Why the release of a deployment may not be left on its cluster; null if it may. Only a site admin declares a cluster out of
 * use, by ignoring it: that it does not answer may pass. `cluster`: null if it was deleted.
 */
export function whyNotAbandoned(cluster: { ignore: boolean } | null): string | null {
  if (cluster === null || cluster.ignore) return null;
  return 'Its cluster is in use, so the release on it is not abandoned. If the cluster no longer exists, a site admin ignores it first';
}

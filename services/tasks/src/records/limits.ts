/** How many tasks run at the same time. */
export interface Limits {
  perCluster: number;
  inAll: number;
  /** Tasks of a cluster that only await readiness: half of those for which a runner has room, so that one cluster cannot fill it. */
  waitingPerCluster: number;
}

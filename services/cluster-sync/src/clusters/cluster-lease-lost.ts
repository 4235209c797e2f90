/** Another replica syncs the cluster now, or it was deleted: our state of it may be stale, so do not write it. */
export class ClusterLeaseLost extends Error {
  constructor(clusterId: string) {
    super(`cluster ${clusterId} is synced by another replica, or deleted`);
    this.name = 'ClusterLeaseLost';
  }
}

/** Somebody else looks after the cluster by now, or it was deleted: what we know of it may be old, so it is not written. */
export class NotOurCluster extends Error {
  constructor(clusterId: string) {
    super(`cluster ${clusterId} is looked after by another replica, or gone`);
    this.name = 'NotOurCluster';
  }
}

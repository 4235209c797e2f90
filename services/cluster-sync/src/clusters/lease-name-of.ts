/** The replica that holds the lease of this name syncs the cluster. */
export const leaseNameOf = (clusterId: string): string => `cluster ${clusterId}`;

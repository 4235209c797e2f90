/** Whoever holds the lease of this name looks after the cluster. */
export const leaseNameOf = (clusterId: string): string => `cluster ${clusterId}`;

/** The requests that a cluster last answered beyond the limits. */
export interface ClusterExcess {
  note(request: string, reason: string | null): void;
  /** Why the cluster cannot be used; null if it can. */
  reason(): string | null;
}

export function clusterExcess(): ClusterExcess {
  const reasons = new Map<string, string>();
  return {
    note(request, reason) {
      if (reason === null) reasons.delete(request);
      else reasons.set(request, reason);
    },
    reason: () => reasons.values().next().value ?? null,
  };
}

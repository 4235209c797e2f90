/** The effect of an event of a namespace: none, the name is new, or the name now belongs to another deployment or namespace. */
export type NamespaceChange = 'none' | 'new' | 'reassigned';

/**
 * The known namespaces and their deployments. A name that is used again after its namespace was removed counts as reassigned:
 * objects of the new namespace may have been taken for objects of the old one.
 */
export function createNamespaceIndex({ removedLimit = 1_000 } = {}) {
  const deployments = new Map<string, string | null>();
  const removed = new Set<string>();
  let listed: Set<string> | null = null;

  function remove(name: string): void {
    deployments.delete(name);
    removed.delete(name);
    removed.add(name);
    const [oldest] = removed;
    if (removed.size > removedLimit && oldest !== undefined) removed.delete(oldest);
  }

  return {
    /** Null: the namespace belongs to no deployment. Undefined: it is not known yet. */
    deploymentOf: (name: string): string | null | undefined => deployments.get(name),

    put(name: string, deploymentId: string | null): NamespaceChange {
      listed?.add(name);
      const before = deployments.get(name);
      if (before === deploymentId) return 'none';
      deployments.set(name, deploymentId);
      const isReassigned = before !== undefined || removed.has(name);
      removed.delete(name);
      return isReassigned ? 'reassigned' : 'new';
    },

    remove,

    /** Begins a list of all namespaces, or restarts one that failed. */
    beginPass(): void {
      listed = new Set();
    },

    /** Removes the namespaces without an event since the list began. */
    endPass(): void {
      for (const name of deployments.keys()) if (!listed?.has(name)) remove(name);
      listed = null;
    },
  };
}
export type NamespaceIndex = ReturnType<typeof createNamespaceIndex>;

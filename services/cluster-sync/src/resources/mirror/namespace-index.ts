/** The change by an event of a namespace: none, a new name, or a name that now belongs to something else. */
export type NamespaceNews = 'none' | 'first' | 'other';

/**
 * The known namespaces, and the deployment to which each belongs. A name that comes again after
 * its namespace was removed is not a first one: objects of the new namespace may have been taken for objects of the old.
 */
export function createNamespaceBook({ removedLimit = 1_000 } = {}) {
  const deployments = new Map<string, string | null>();
  const removed = new Set<string>();
  let shown: Set<string> | null = null;

  function remove(name: string): void {
    deployments.delete(name);
    removed.delete(name);
    removed.add(name);
    const [oldest] = removed;
    if (removed.size > removedLimit && oldest !== undefined) removed.delete(oldest);
  }

  return {
    /** Null: known, and of no deployment. Undefined: not known yet. */
    deploymentOf: (name: string): string | null | undefined => deployments.get(name),

    see(name: string, deploymentId: string | null): NamespaceNews {
      shown?.add(name);
      const before = deployments.get(name);
      if (before === deploymentId) return 'none';
      deployments.set(name, deploymentId);
      const isOther = before !== undefined || removed.has(name);
      removed.delete(name);
      return isOther ? 'other' : 'first';
    },

    remove,

    /** A list of all namespaces begins; one that failed half way is restarted. */
    beginPass(): void {
      shown = new Set();
    },

    /** Namespaces without an event since the list began are gone. */
    endPass(): void {
      for (const name of deployments.keys()) if (!shown?.has(name)) remove(name);
      shown = null;
    },
  };
}
export type NamespaceBook = ReturnType<typeof createNamespaceBook>;

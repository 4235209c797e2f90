import { type FoundNamespace, foundNamespace } from './found-namespace.ts';
import { type NamespaceRecord, ownerOf } from './namespace-record.ts';
import type { NamespaceRepository } from './namespace-repository.ts';

export interface NamespaceOwnersDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find' | 'ofCluster'>;
  /** Records a namespace of the version before, if it is its deployment's. */
  readonly adopt: (clusterId: string, found: FoundNamespace) => Promise<NamespaceRecord | null>;
}

/** Whose the namespaces of one watched cluster are, by the records. What a namespace says of itself only makes its record be read again. */
export async function createNamespaceOwners({ namespaceRepository, adopt }: NamespaceOwnersDeps, clusterId: string) {
  const records = new Map<string, NamespaceRecord>();
  for (const { name, ...record } of await namespaceRepository.ofCluster(clusterId)) records.set(name, record);

  return {
    /** Reads the record of a namespace that seems to be of a deployment, where the known one does not prove it. */
    async look(object: unknown): Promise<void> {
      const found = foundNamespace(object);
      if (ownerOf(records.get(found.name), found) !== null) return;
      if (found.mark === null && found.namedDeployment === null) return;
      const record =
        (await namespaceRepository.find({ clusterId, name: found.name })) ?? (await adopt(clusterId, found));
      if (record) records.set(found.name, record);
      else records.delete(found.name);
    },

    of(object: unknown): string | null {
      const found = foundNamespace(object);
      return ownerOf(records.get(found.name), found);
    },
  };
}
export type NamespaceOwners = Awaited<ReturnType<typeof createNamespaceOwners>>;

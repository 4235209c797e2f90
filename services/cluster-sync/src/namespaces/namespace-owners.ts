import { type FoundNamespace, foundNamespace } from './found-namespace.ts';
import { type NamespaceRecord, ownerOf } from './namespace-record.ts';
import type { NamespaceRepository } from './namespace-repository.ts';

export interface NamespaceOwnersDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find' | 'ofCluster'>;
  /** Records a namespace of the previous version if it belongs to the deployment that it names. */
  readonly adopt: (clusterId: string, found: FoundNamespace) => Promise<NamespaceRecord | null>;
}

/** The owners of the namespaces of one watched cluster, by the records. Labels of a namespace only cause its record to be read again. */
export async function createNamespaceOwners({ namespaceRepository, adopt }: NamespaceOwnersDeps, clusterId: string) {
  const records = new Map<string, NamespaceRecord>();
  for (const { name, ...record } of await namespaceRepository.ofCluster(clusterId)) records.set(name, record);

  return {
    /** Reads the record of a namespace that names a deployment, if the known record does not prove it. */
    async refresh(object: unknown): Promise<void> {
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

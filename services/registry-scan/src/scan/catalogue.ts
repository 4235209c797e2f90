import { Bug } from '@berth/contracts/errors';
import type { HelmRegistry, RegistryProvider } from '@berth/contracts/resources/charts/helm-registries';
import type { Transaction } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import type { ChartChanges } from '../charts/chart-repository.ts';
import type { FetchedChart } from '../charts/fetch-chart.ts';
import { kindNameOf } from '../kinds/kind-name-of.ts';
import type { KindChanges } from '../kinds/kind-repository.ts';
import type { RegistryChanges, RepositoryName } from '../registries/registry-repository.ts';
import type { CurrentFormats } from '../tag-formats/current-formats.ts';
import { parsedTag } from '../tag-formats/parsed-tag.ts';
import type { TagName, TagRepository } from './tag-repository.ts';

interface Store {
  charts: ChartChanges;
  kinds: KindChanges;
  registries: RegistryChanges;
  tags: TagRepository;
}

export interface CatalogueDeps {
  inTransaction: InTransaction<Store>;
  currentFormats: (queries: Transaction) => Promise<CurrentFormats>;
}

/** What a tag points to; `chart` is null if it is not a chart. */
export interface FoundTag {
  digest: string;
  provider: RegistryProvider;
  chart: FetchedChart | null;
  observedAt: string;
}

/** Stores what registries contain. Each change is one transaction and publishes the state of the changed rows. */
export function createCatalogue({ inTransaction, currentFormats }: CatalogueDeps) {
  return {
    /** Records what a tag points to. Idempotent: repeated, late and concurrent calls change nothing more. */
    recordTag: (name: TagName, { digest, provider, chart, observedAt }: FoundTag): Promise<void> =>
      inTransaction(async (store, tx) => {
        const isNewest = await store.tags.record(name, {
          digest,
          isChart: chart !== null,
          isFinal: chart?.isFinal ?? true,
          observedAt,
        });
        if (!isNewest) return;

        if (chart === null) {
          const registry = await store.registries.lockByName(name);
          if (registry) await store.charts.retireTag(registry.id, name.tag, null);
          return;
        }
        const { id: registryId } = await registryOf(store, name, provider);
        const { revision, formats } = await currentFormats(tx);
        await store.charts.upsert({
          registryId,
          digest,
          tag: name.tag,
          read: chart,
          parsed: parsedTag(name.tag, chart.metadata, formats),
          formatsRevision: revision,
        });
        await store.charts.retireTag(registryId, name.tag, digest);
      }),

    /** Makes charts unavailable whose tags the registry no longer lists. */
    removeTags: (name: RepositoryName, tags: readonly string[], observedAt: string): Promise<void> =>
      inTransaction(async (store) => {
        await removeAll(store, name, tags, observedAt);
      }),

    /** Makes a repository unavailable that the registry reports as missing. */
    removeRepository: (name: RepositoryName, observedAt: string): Promise<void> =>
      inTransaction(async (store) => {
        const tags = (await store.tags.known(name)).map(({ tag }) => tag);
        const registry = await removeAll(store, name, tags, observedAt);
        // Does nothing if a push has created it again since.
        const isEmpty = (await store.tags.known(name)).length === 0;
        if (registry?.available && isEmpty) await store.registries.setAvailable(registry.id, false);
      }),
  };
}
export type Catalogue = ReturnType<typeof createCatalogue>;

/** The registry's row, created with its kind if missing. */
async function registryOf(
  { registries, kinds }: Store,
  name: RepositoryName,
  provider: RegistryProvider,
): Promise<HelmRegistry> {
  const known = await registries.lockByName(name);
  if (known) return known.available ? known : registries.setAvailable(known.id, true);

  const kindId = await kindIdOf(kinds, name.repository);
  const inserted = await registries.insertMissing(name, { kindId, provider });
  if (inserted) return inserted;
  const concurrent = await registries.lockByName(name);
  if (!concurrent) throw new Bug(`${name.domain}/${name.repository} could neither be inserted nor found`);
  return concurrent;
}

async function kindIdOf(kinds: KindChanges, repository: string): Promise<string> {
  const name = kindNameOf(repository);
  const { id } = (await kinds.insertMissing(name)) ?? (await kinds.findByName(name));
  return id;
}

async function removeAll(
  { charts, registries, tags: stored }: Store,
  name: RepositoryName,
  tags: readonly string[],
  observedAt: string,
): Promise<HelmRegistry | null> {
  const removed = await stored.remove(name, tags, observedAt);
  const registry = await registries.lockByName(name);
  if (registry) await charts.retireTags(registry.id, removed);
  return registry;
}

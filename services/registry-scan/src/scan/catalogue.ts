import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { type HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { type HelmRegistry, helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import type { Database, Transaction } from '@berth/db/database';
import { recordState, recordStates } from '@berth/db/outbox/outbox';
import { createChartRepository } from '../charts/chart-repository.ts';
import type { FetchedChart } from '../charts/fetch-chart.ts';
import { kindNameOf } from '../kinds/kind-name-of.ts';
import { createKindRepository } from '../kinds/kind-repository.ts';
import { createRegistryRepository, type RepositoryName } from '../registries/registry-repository.ts';
import type { CurrentFormats } from '../tag-formats/current-formats.ts';
import { parsedTag } from '../tag-formats/parsed-tag.ts';
import { createTagRepository, type TagName } from './tag-repository.ts';

export interface CatalogueDeps {
  db: Database;
  currentFormats: (queries: Transaction) => Promise<CurrentFormats>;
}

/** What a tag points to; `chart` is null if it is not a chart. */
export interface FoundTag {
  digest: string;
  chart: FetchedChart | null;
  observedAt: string;
}

/** Stores what registries contain. Each change is one transaction and publishes the state of the changed rows. */
export function createCatalogue({ db, currentFormats }: CatalogueDeps) {
  return {
    /** Records what a tag points to. Idempotent: repeated, late and concurrent calls change nothing more. */
    recordTag: (name: TagName, { digest, chart, observedAt }: FoundTag): Promise<void> =>
      db.transaction(async (tx) => {
        const isNewest = await createTagRepository(tx).record(name, {
          digest,
          isChart: chart !== null,
          isFinal: chart?.isFinal ?? true,
          observedAt,
        });
        if (!isNewest) return;

        if (chart === null) {
          const registry = await createRegistryRepository(tx).lockByName(name);
          if (registry)
            await publishUpdates(tx, await createChartRepository(tx).retireTag(registry.id, name.tag, null));
          return;
        }
        const registry = await registryOf(tx, name);
        await addChart(tx, registry, name.tag, digest, chart);
        await publishUpdates(tx, await createChartRepository(tx).retireTag(registry.id, name.tag, digest));
      }),

    /** Makes charts unavailable whose tags the registry no longer lists. */
    removeTags: (name: RepositoryName, tags: readonly string[], observedAt: string): Promise<void> =>
      db.transaction(async (tx) => {
        await removeAll(tx, name, tags, observedAt);
      }),

    /** Makes a repository unavailable that the registry reports as missing. */
    removeRepository: (name: RepositoryName, observedAt: string): Promise<void> =>
      db.transaction(async (tx) => {
        const tagRepository = createTagRepository(tx);
        const tags = (await tagRepository.known(name)).map(({ tag }) => tag);
        const registry = await removeAll(tx, name, tags, observedAt);
        // Does nothing if a push has created it again since.
        const isEmpty = (await tagRepository.known(name)).length === 0;
        if (registry?.available && isEmpty) await setAvailable(tx, registry.id, false);
      }),
  };

  async function addChart(tx: Transaction, { id }: HelmRegistry, tag: string, digest: string, read: FetchedChart) {
    const { revision, formats } = await currentFormats(tx);
    const written = await createChartRepository(tx).upsert({
      registryId: id,
      digest,
      tag,
      read,
      parsed: parsedTag(tag, read.metadata, formats),
      formatsRevision: revision,
    });
    if (written === null) return;
    const { inserted, ...row } = written;
    await recordState(tx, helmCharts, { id: row.id, env_id: null, operation: inserted ? 'INSERT' : 'UPDATE', row });
  }
}
export type Catalogue = ReturnType<typeof createCatalogue>;

/** The registry's row, created with its kind if missing. */
async function registryOf(tx: Transaction, name: RepositoryName): Promise<HelmRegistry> {
  const registryRepository = createRegistryRepository(tx);
  const known = await registryRepository.lockByName(name);
  if (known) return known.available ? known : setAvailable(tx, known.id, true);

  const row = await registryRepository.insertMissing(name, await kindIdOf(tx, name.repository));
  if (row) {
    await recordState(tx, helmRegistries, { id: row.id, env_id: null, operation: 'INSERT', row });
    return row;
  }
  const concurrent = await registryRepository.lockByName(name);
  if (!concurrent) throw new Error(`${name.domain}/${name.repository} could neither be inserted nor found`);
  return concurrent;
}

async function kindIdOf(tx: Transaction, repository: string): Promise<string> {
  const kindRepository = createKindRepository(tx);
  const kindName = kindNameOf(repository);
  const row = await kindRepository.insertMissing(kindName);
  if (row === null) return (await kindRepository.findByName(kindName)).id;
  await recordState(tx, deploymentKinds, { id: row.id, env_id: null, operation: 'INSERT', row });
  return row.id;
}

async function setAvailable(tx: Transaction, id: string, available: boolean): Promise<HelmRegistry> {
  const row = await createRegistryRepository(tx).setAvailable(id, available);
  await recordState(tx, helmRegistries, { id, env_id: null, operation: 'UPDATE', row });
  return row;
}

async function removeAll(tx: Transaction, name: RepositoryName, tags: readonly string[], observedAt: string) {
  const removed = await createTagRepository(tx).remove(name, tags, observedAt);
  const registry = await createRegistryRepository(tx).lockByName(name);
  if (registry) await publishUpdates(tx, await createChartRepository(tx).retireTags(registry.id, removed));
  return registry;
}

const publishUpdates = (tx: Transaction, rows: readonly HelmChart[]): Promise<void> =>
  recordStates(
    tx,
    helmCharts,
    rows.map((row) => ({ id: row.id, env_id: null, operation: 'UPDATE', row })),
  );

import { deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import { type HelmChart, helmCharts } from '@berth/shared/contracts/resources/helm-charts';
import { type HelmRegistry, helmRegistries } from '@berth/shared/contracts/resources/helm-registries';
import type { Database, Transaction } from '@berth/shared/db/database';
import { recordState, recordStates } from '@berth/shared/db/outbox/outbox';
import { createChartRepository } from '../charts/chart-repository.ts';
import type { ReadChart } from '../charts/fetch-chart.ts';
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

/** What was found at a tag; `chart` is null where it is no chart. */
export interface Finding {
  digest: string;
  chart: ReadChart | null;
  observedAt: string;
}

/** Writes down what registries have: each finding in one transaction, with the events that tell of it. */
export function createCatalogue({ db, currentFormats }: CatalogueDeps) {
  return {
    /** Notes what a tag points to now. Doing it twice, late, or in two processes at once changes nothing more. */
    found: (name: TagName, { digest, chart, observedAt }: Finding): Promise<void> =>
      db.transaction(async (tx) => {
        const noted = await createTagRepository(tx).note(name, {
          digest,
          isChart: chart !== null,
          settled: chart?.settled ?? true,
          observedAt,
        });
        if (!noted) return;

        if (chart === null) {
          const registry = await createRegistryRepository(tx).lockByName(name);
          if (registry) await retire(tx, await createChartRepository(tx).retireTag(registry.id, name.tag, null));
          return;
        }
        const registry = await registryOf(tx, name);
        await addChart(tx, registry, name.tag, digest, chart);
        await retire(tx, await createChartRepository(tx).retireTag(registry.id, name.tag, digest));
      }),

    /** The registry answered without these tags. */
    tagsGone: (name: RepositoryName, tags: readonly string[], observedAt: string): Promise<void> =>
      db.transaction(async (tx) => {
        await forget(tx, name, tags, observedAt);
      }),

    /** The registry answered that there is no such repository. */
    repositoryGone: (name: RepositoryName, observedAt: string): Promise<void> =>
      db.transaction(async (tx) => {
        const tagRepository = createTagRepository(tx);
        const tags = (await tagRepository.known(name)).map(({ tag }) => tag);
        const registry = await forget(tx, name, tags, observedAt);
        // A push since then has made it anew.
        const isEmpty = (await tagRepository.known(name)).length === 0;
        if (registry?.available && isEmpty) await setAvailable(tx, registry.id, false);
      }),
  };

  async function addChart(tx: Transaction, { id }: HelmRegistry, tag: string, digest: string, read: ReadChart) {
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

/** The registry and its kind, made where they are missing. */
async function registryOf(tx: Transaction, name: RepositoryName): Promise<HelmRegistry> {
  const registryRepository = createRegistryRepository(tx);
  const known = await registryRepository.lockByName(name);
  if (known) return known.available ? known : setAvailable(tx, known.id, true);

  const row = await registryRepository.insertMissing(name, await kindIdOf(tx, name.repository));
  if (row) {
    await recordState(tx, helmRegistries, { id: row.id, env_id: null, operation: 'INSERT', row });
    return row;
  }
  const others = await registryRepository.lockByName(name);
  if (!others) throw new Error(`${name.domain}/${name.repository} was neither added nor there`);
  return others;
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

async function forget(tx: Transaction, name: RepositoryName, tags: readonly string[], observedAt: string) {
  const gone = await createTagRepository(tx).forget(name, tags, observedAt);
  const registry = await createRegistryRepository(tx).lockByName(name);
  if (registry) await retire(tx, await createChartRepository(tx).retireTags(registry.id, gone));
  return registry;
}

const retire = (tx: Transaction, rows: readonly HelmChart[]): Promise<void> =>
  recordStates(
    tx,
    helmCharts,
    rows.map((row) => ({ id: row.id, env_id: null, operation: 'UPDATE', row })),
  );

import { LRUCache } from 'lru-cache';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { crdsArguments } from '../helm/helm-arguments.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import type { ManifestFacts } from '../manifests/facts-of.ts';
import { type ManifestWork, readFacts } from '../manifests/read-manifests.ts';
import { finderOf } from '../log/known-secrets.ts';
import { outputOfHelm } from '../plan/render-chart.ts';

const kept = 500;
const deadlineMs = 20_000;

/** Line breaks that only Helm's YAML library recognizes. Rendered templates do not contain them, since Helm reformats their YAML. */
const breaksOfGo = /\r(?!\n)|[\u0085\u2028\u2029]/;

export interface ChartCrdsDeps {
  helm: HelmStarter;
  work: ManifestWork;
}

interface Read {
  chart: NonNullable<ClaimedTask['chart']>;
  file: string;
  /** Home of the Helm that reads it. */
  folder: string;
  owner: string;
  signal: AbortSignal;
}

export type ChartCrds = ReturnType<typeof createChartCrds>;

/** The objects of a chart's folder crds, which Helm does not hand over. An archive never changes, so it is read once. */
export function createChartCrds({ helm, work }: ChartCrdsDeps) {
  const cache = new LRUCache<string, ManifestFacts>({ max: kept });
  return {
    known: ({ digest }: Read['chart']): ManifestFacts | undefined => cache.get(digest),
    async read({ chart, file, folder, owner, signal }: Read): Promise<ManifestFacts> {
      const args = crdsArguments(file);
      const output = await outputOfHelm({
        helm,
        args,
        namespace: '',
        folder,
        discoveryCache: folder,
        secrets: finderOf([]),
        deadlineMs,
        signal,
      });
      const read = await readFacts(output, { work, owner, signal });
      const facts = { ...read, unreadable: read.unreadable + (breaksOfGo.test(output) ? 1 : 0) };
      cache.set(chart.digest, facts);
      return facts;
    },
  };
}

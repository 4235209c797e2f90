import { LRUCache } from 'lru-cache';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { crdsArguments } from '../helm/helm-arguments.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { finderOf } from '../log/known-secrets.ts';
import { outputOfHelm } from './render-chart.ts';

const kept = 500;
const deadlineMs = 20_000;

export interface ChartCrdsDeps {
  helm: HelmStarter;
}

interface Read {
  chart: NonNullable<ClaimedTask['chart']>;
  file: string;
  /** Home of the Helm that reads it. */
  folder: string;
  signal: AbortSignal;
}

export type ChartCrds = ReturnType<typeof createChartCrds>;

/**
 * The objects in the folder crds of a chart and of its subcharts, which Helm leaves out when it hands over what it rendered. Most charts
 * have none; that is remembered, since an archive never changes.
 */
export function createChartCrds({ helm }: ChartCrdsDeps) {
  const without = new LRUCache<string, true>({ max: kept });
  return {
    /** The chart is known to have none. */
    isEmpty: ({ digest }: Read['chart']): boolean => without.has(digest),
    /** Empty if the chart has none. */
    async read({ chart, file, folder, signal }: Read): Promise<string> {
      const output = await outputOfHelm({
        helm,
        args: crdsArguments(file),
        namespace: '',
        folder,
        discoveryCache: folder,
        secrets: finderOf([]),
        deadlineMs,
        signal,
      });
      if (output.trim() === '') without.set(chart.digest, true);
      return output.trim() === '' ? '' : output;
    },
  };
}

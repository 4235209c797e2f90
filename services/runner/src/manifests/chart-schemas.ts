import { readFile } from 'node:fs/promises';
import { schemasAreLocal } from '@berth/chart-archive/schemas-are-local';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import { WorkRefused } from '@berth/untrusted-work/work-refused';
import { LRUCache } from 'lru-cache';
import { explainRefusedWork } from './explain-refused-work.ts';

export const schemaJobs = { areLocal: async (file: string) => schemasAreLocal(await readFile(file)) };

const kept = 1_000;
const withinMs = 10_000;

interface Asked {
  chart: NonNullable<ClaimedTask['chart']>;
  /** Its archive. */
  file: string;
  /** The id of the deployment. */
  owner: string;
  signal: AbortSignal;
}

export type ChartSchemas = ReturnType<typeof createChartSchemas>;

/**
 * Whether Helm may check values against the schemas of a chart. It loads what a schema refers to: from any file of the runner, and from
 * any host, without the rules for hosts that strangers name. An archive never changes, so that is found out once.
 */
export function createChartSchemas({ work }: { work: UntrustedWork<typeof schemaJobs> }) {
  const known = new LRUCache<string, boolean>({ max: kept });

  return async ({ chart, file, ...asked }: Asked): Promise<boolean> => {
    const before = known.get(chart.digest);
    if (before !== undefined) return before;
    const areLocal = await work.run('areLocal', file, { ...asked, withinMs }).catch((error: unknown) => {
      // Nobody knows what a schema refers to that takes too long to read.
      if (error instanceof WorkRefused && error.refusal !== 'busy') return false;
      return explainRefusedWork(error);
    });
    known.set(chart.digest, areLocal);
    return areLocal;
  };
}

import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { WorkRefused, type WorkRefusal } from '@berth/untrusted-work/work-refused';
import { permanent, transient } from '../outcome/task-failure.ts';
import type { ManifestFacts } from './check/facts-of.ts';
import type { Sides } from './compare-sides.ts';
import type { PlanWork } from './plan-work.ts';
import type { ParsedManifest } from './manifest/parse-manifest.ts';

export interface ReadManifestsDeps {
  work: PlanWork;
  /** The id of the deployment. */
  owner: string;
  signal: AbortSignal;
}

/** Not set if the plan or the wait has its own deadline. */
const withinMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;

/** The objects of manifests, read outside of the process that renews claims. */
export const readManifests = (
  texts: readonly string[],
  { work, ...limits }: ReadManifestsDeps,
): Promise<ParsedManifest[]> =>
  work.run('readManifests', texts, { ...limits, withinMs, maxAnswerBytes }).catch(explained);

/** The identifying fields of the objects of a manifest. */
export const readNames = (manifest: string, { work, ...limits }: ReadManifestsDeps) =>
  work.run('readNames', manifest, { ...limits, withinMs }).catch(explained);

/** The facts that decide whether a chart may have the objects that it renders. */
export const readFacts = (manifests: string, { work, ...limits }: ReadManifestsDeps): Promise<ManifestFacts> =>
  work.run('readFacts', manifests, { ...limits, withinMs }).catch(explained);

/** Compares both sides in the other process, since many fields are each searched for all secrets. */
export const comparePlan = (sides: Sides, { work, ...limits }: ReadManifestsDeps): Promise<DryRunResult> =>
  work.run('compareSides', sides, { ...limits, withinMs }).catch(explained);

function explained(error: unknown): never {
  throw error instanceof WorkRefused ? failures[error.refusal](error) : error;
}

const failures = {
  'too large': (cause) => permanent('The manifests of the chart are too large to be read', cause),
  'too slow': (cause) => permanent('The manifests of the chart take too long to be read', cause),
  busy: (cause) => transient('Too many manifests of this deployment are being read already', cause),
} satisfies Record<WorkRefusal, (cause: WorkRefused) => Error>;

import type { UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import type { CrdObject } from './crd-objects.ts';
import type { ManifestFacts } from './facts-of.ts';
import { explainRefusedWork } from './explain-refused-work.ts';
import type { manifestJobs } from './manifest-jobs.ts';
import type { ParsedManifest } from './parse-manifest.ts';

/** Work on data of charts and tenants, outside of the process that renews claims. */
export type ManifestWork = UntrustedWork<typeof manifestJobs>;

export interface ReadManifestsDeps {
  work: ManifestWork;
  /** The id of the deployment. */
  owner: string;
  signal: AbortSignal;
}

/** Not set if the plan or the wait has its own deadline. */
const withinMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;

/** The objects of manifests, read outside of the process that renews claims. */
export const readManifests = (
  manifests: { texts: readonly string[]; crds: string },
  { work, ...limits }: ReadManifestsDeps,
): Promise<ParsedManifest[]> =>
  work.run('readManifests', manifests, { ...limits, withinMs, maxAnswerBytes }).catch(explainRefusedWork);

/** The identifying fields of the objects of a manifest. */
export const readNames = (manifest: string, { work, ...limits }: ReadManifestsDeps) =>
  work.run('readNames', manifest, { ...limits, withinMs }).catch(explainRefusedWork);

/** The facts that decide whether a chart may have the objects that it renders. */
export const readFacts = (
  manifests: { manifests: string; crds?: string },
  { work, ...limits }: ReadManifestsDeps,
): Promise<ManifestFacts> => work.run('readFacts', manifests, { ...limits, withinMs }).catch(explainRefusedWork);

/** The objects of the folder `crds` that a rendering contains. */
export const readCrds = (
  rendered: { manifests: string; crds: string },
  { work, ...limits }: ReadManifestsDeps,
): Promise<CrdObject[]> =>
  work.run('readCrds', rendered, { ...limits, withinMs, maxAnswerBytes }).catch(explainRefusedWork);

import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { CompareRelease } from '../deployments/create-deployment.ts';
import { dryRunsOf } from './dry-runs-of.ts';
import { makeDryRuns, type MakeDryRunsDeps } from './make-dry-runs.ts';

/** The plan of a creation that adopts a release, made for its refusals alone. */
export const compareReleases =
  (deps: MakeDryRunsDeps): CompareRelease =>
  ({ after, tasks }, { identity, requestId, signal, remainingMs }) =>
    makeDryRuns(deps, dryRunsOf(tasks, after, null), {
      identity,
      audit: {
        by: { identity, requestId },
        action: 'plan',
        resource: deployments.name,
        objectId: null,
        envId: after.env_id,
        details: { cluster_id: after.cluster_id, namespace: after.namespace, adopt: true },
      },
      envId: after.env_id,
      kindId: after.kind_id,
      signal,
      remainingMs,
    });

import type { RequestOutput } from '@berth/contracts/definition/contract';
import type { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { after } from '../engine/deployments/lifecycle.ts';
import { placeOf } from '../engine/deployments/place-of.ts';
import type { WritingStore } from '../store/store.ts';

type Report = RequestOutput<typeof deploymentPlace.operations.report_lost>['body'];

/**
 * Puts a deployment whose namespace is lost in error, with the reason. Returns false if the report is about an
 * earlier state.
 */
export async function recordLostNamespace(store: WritingStore, report: Report): Promise<boolean> {
  const deployment = await store.deployments.lock(report.id);
  // Any task since then changed the revision or the state.
  if (deployment?.status !== 'Running' || deployment.revision_id !== report.revision_id) return false;
  const { cluster_id, namespace } = placeOf(deployment);
  if (cluster_id !== report.cluster_id || namespace !== report.namespace) return false;

  await store.deploymentChanges.saveState(after(deployment, 'namespace lost', report.reason));
  return true;
}

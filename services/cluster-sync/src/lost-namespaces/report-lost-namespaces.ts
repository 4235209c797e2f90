import { nullIfMissing } from '@berth/kube/kube-error';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Bus } from '@berth/bus/bus';
import { startOf } from '@berth/contracts/cut-text';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import type { ReadCluster } from '../live/live-clusters.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import type { LostNamespace, LostNamespaceRepository } from './lost-namespace-repository.ts';
import { verdictByPlace, verdictByNamespace, usualHeldMs } from './loss-verdict.ts';

export interface ReportLostNamespacesDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly lostNamespaceRepository: LostNamespaceRepository;
  readonly namespaceRepository: Pick<NamespaceRepository, 'find'>;
  readonly readCluster: ReadCluster;
  readonly log: Service['log'];
  /** Undecided namespaces are checked again after this time, in ms. */
  readonly againMs?: number;
  readonly heldMs?: number;
}

const batchSize = 20;
const deadlineMs = 5_000;

/**
 * Reports deployments whose namespace is gone to `tasks`. The revision of the deployment is read before its namespace, and
 * `tasks` accepts the report only for that revision, so an outdated report has no effect.
 */
export const reportLostNamespaces =
  (deps: ReportLostNamespacesDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const { lostNamespaceRepository, log, againMs = 15_000 } = deps;
    for (const lost of await lostNamespaceRepository.claim(batchSize, againMs)) {
      if (signal.aborted) return;
      try {
        if (await isDecided(deps, lost, signal)) await lostNamespaceRepository.remove(lost);
      } catch (error) {
        // The cluster or another service does not answer; the row becomes due again.
        if (!(error instanceof AppError)) throw error;
        log.debug({ err: error, namespace: lost.namespace }, 'a lost namespace cannot be checked yet');
      }
    }
  };

async function isDecided(
  { bus, readCluster, namespaceRepository, log, heldMs = usualHeldMs }: ReportLostNamespacesDeps,
  lost: LostNamespace,
  signal: AbortSignal,
): Promise<boolean> {
  const { deployment_id, cluster_id } = lost;
  const { deployment: place } = await bus.call(deploymentPlace.operations.now, { body: { deployment_id } });
  const verdict = verdictByPlace(lost, place);
  if (verdict !== 'read' || !place) return verdict === 'forget';

  const found = await readCluster(cluster_id, { identity: null }, (api) => readNamespace(api, lost.namespace, signal));
  const record = await namespaceRepository.find({ clusterId: cluster_id, name: lost.namespace });
  const now = verdictByNamespace(lost, { namespace: found, record }, heldMs);
  if (typeof now === 'string') return now === 'forget';
  const { id, namespace, revision_id } = place;
  const body = { id, cluster_id, namespace, revision_id, reason: startOf(now.report, 500) };
  const { recorded } = await bus.call(deploymentPlace.operations.report_lost, { body });
  if (recorded)
    log.warn({ deployment_id, cluster_id, namespace, reason: now.report }, 'a deployment lost its namespace');
  return recorded;
}

const readNamespace = (api: KubeApi, namespace: string, signal: AbortSignal): Promise<unknown> =>
  nullIfMissing(
    api.getJson(`/api/v1/namespaces/${encodeURIComponent(namespace)}`, { signal, deadlineMs, answer: 'namespace' }),
  );

import type { HealthReport, HealthVerdict } from '@berth/contracts/resources/deployments/deployment-health';
import { clusterSilence } from '../engine/health/cluster-silence.ts';
import { makesEvent } from '../engine/health/makes-event.ts';
import { reportVerdict } from '../engine/health/report-verdict.ts';
import type { WritingStore } from '../store/store.ts';

/** If a call has several reports of one deployment, each is judged by the state that the reports before it left. */
export async function recordReports(
  { healthChanges }: Pick<WritingStore, 'healthChanges'>,
  reports: readonly HealthReport[],
): Promise<HealthVerdict[]> {
  const clusters = await healthChanges.clustersById(reports.map(({ cluster_id }) => cluster_id));
  const silent = new Set(clusters.filter((cluster) => clusterSilence(cluster, cluster.now)).map(({ id }) => id));
  const held = await healthChanges.hold(reports.map(({ deployment_id }) => deployment_id));
  const before = new Map(held.map((deployment) => [deployment.id, deployment]));
  const after = new Map(before);

  const verdicts = reports.map((report) => {
    const deployment = after.get(report.deployment_id);
    const verdict = reportVerdict(report, deployment, silent.has(report.cluster_id));
    if (verdict === 'recorded' && deployment) {
      after.set(deployment.id, { ...deployment, health: report.health, health_version: report.version });
    }
    return verdict;
  });

  const changed = [...after.values()].filter((row) => before.get(row.id) !== row);
  const toSave = changed.flatMap(({ id, health, health_version: version }) =>
    health ? [{ id, health, version }] : [],
  );
  const hasEvent = (id: string) => makesEvent(before.get(id)?.health ?? null, after.get(id)?.health ?? null);
  await healthChanges.saveAndPublish(toSave.filter(({ id }) => hasEvent(id)));
  await healthChanges.save(toSave.filter(({ id }) => !hasEvent(id)));
  return verdicts;
}

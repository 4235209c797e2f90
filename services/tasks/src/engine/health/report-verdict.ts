import type { HealthReport, HealthVerdict } from '@berth/contracts/resources/deployments/deployment-health';

/** The deployment of a report as it is now. */
export interface ReportedDeployment {
  readonly installed_cluster_id: string | null;
  readonly installed_namespace: string | null;
  readonly health_version: number;
}

type Placed = Pick<HealthReport, 'cluster_id' | 'namespace' | 'version'>;

/** Whether a report counts; the first row that holds decides. */
export function reportVerdict(
  report: Placed,
  deployment: ReportedDeployment | undefined,
  isSilent: boolean,
): HealthVerdict {
  if (deployment?.installed_cluster_id !== report.cluster_id) return 'elsewhere';
  if (deployment.installed_namespace !== report.namespace) return 'elsewhere';
  if (isSilent) return 'silent';
  // The same report again, since its first answer was lost.
  if (deployment.health_version === report.version) return 'recorded';
  return deployment.health_version > report.version ? 'outdated' : 'recorded';
}

import type { HealthVerdict } from '@berth/contracts/resources/deployments/deployment-health';
import { expect, test } from 'vitest';
import { reportVerdict, type ReportedDeployment } from './report-verdict.ts';

const report = { cluster_id: 'c1', namespace: 'web', version: 10 };
const installed: ReportedDeployment = { installed_cluster_id: 'c1', installed_namespace: 'web', health_version: 9 };

test.for<[string, ReportedDeployment | undefined, boolean, HealthVerdict]>([
  ['of a deleted deployment', undefined, false, 'elsewhere'],
  [
    'of one that is not installed',
    { ...installed, installed_cluster_id: null, installed_namespace: null },
    false,
    'elsewhere',
  ],
  ['of another cluster', { ...installed, installed_cluster_id: 'c2' }, false, 'elsewhere'],
  ['of another namespace', { ...installed, installed_namespace: 'web-two' }, true, 'elsewhere'],
  ['of a silent cluster', installed, true, 'silent'],
  ['that is newer', installed, false, 'recorded'],
  ['that is repeated', { ...installed, health_version: 10 }, false, 'recorded'],
  [
    'that is older than the last one, or than the installation',
    { ...installed, health_version: 11 },
    false,
    'outdated',
  ],
])('a report %s is judged', ([, deployment, isSilent, verdict]) => {
  expect(reportVerdict(report, deployment, isSilent)).toBe(verdict);
});

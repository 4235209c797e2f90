import type { DeploymentRecord } from '../../src/records/deployment-record.ts';

/** A new deployment, not installed yet. */
export const sampleDeployment: DeploymentRecord = {
  id: 'd1',
  created_at: '2026-01-01T00:00:00.000Z',
  name: 'a',
  kind_id: 'k1',
  env_id: 'e1',
  cluster_id: 'c1',
  namespace: 'web-a',
  enabled: true,
  status: 'Unknown',
  state: 'Unknown',
  deleting: false,
  description_md: null,
  reason: null,
  shown_reason: null,
  health: null,
  revision_id: null,
  reported_status: null,
  helm_chart_id: 'h1',
  config: {},
  values_override: null,
  installed_cluster_id: null,
  installed_namespace: null,
};

import type { Row } from '../../api/reads.ts';

export type DeploymentRow = Row<'deployments'>;

/** What each tab of a deployment gets. */
export interface OfDeployment {
  deployment: DeploymentRow;
}

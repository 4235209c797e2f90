import { Deployment } from './deployments.ts';
import { listQuery, pageOf } from '../../definition/paging.ts';

/** A deployment that a change would reinstall. */
export const ImpactedDeployment = Deployment.pick({
  id: true,
  created_at: true,
  name: true,
  kind_id: true,
  env_id: true,
  cluster_id: true,
  namespace: true,
  status: true,
});

export const ImpactQuery = listQuery({ filters: {}, sort: ['created_at', 'name'] });
export const Impact = pageOf(ImpactedDeployment);

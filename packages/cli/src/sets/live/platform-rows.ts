import type { Deployment } from '@berth/client';
import type { Bot } from '@berth/contracts/resources/accounts/bots';
import type { User } from '@berth/contracts/resources/accounts/users';
import type { K8sCluster } from '@berth/contracts/resources/clusters/k8s-clusters';
import type { DeploymentResourceType } from '@berth/contracts/resources/deployments/deployment-resource-types';
import type { DeploymentResource } from '@berth/contracts/resources/deployments/deployment-resources';
import type { Secret } from '@berth/contracts/resources/deployments/secrets';
import type { DeploymentPermission } from '@berth/contracts/resources/envs/deployment-permissions';
import type { EnvUserPermission } from '@berth/contracts/resources/envs/env-user-permissions';
import type { Env } from '@berth/contracts/resources/envs/envs';
import type { Chart } from './charts.ts';
import type { SetDocument } from '../documents/set-document.ts';

/** The rows of a platform as its API answers them: those of some envs, and those of no env. */
export interface PlatformRows {
  envs: readonly Env[];
  bots: readonly Bot[];
  clusters: readonly K8sCluster[];
  users: readonly User[];
  kinds: readonly { id: string; name: string }[];
  members: readonly EnvUserPermission[];
  roles: readonly DeploymentPermission[];
  secrets: readonly Secret[];
  deployments: readonly Deployment[];
  types: readonly DeploymentResourceType[];
  resources: readonly DeploymentResource[];
  charts: readonly Chart[];
}

/** A row as the document that `export` writes of it. */
export interface LiveRow {
  id: string;
  document: SetDocument;
  /** It is being deleted. */
  isLeaving: boolean;
}

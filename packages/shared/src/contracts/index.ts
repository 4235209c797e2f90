import { botTokens } from './resources/bot-tokens.ts';
import { bots } from './resources/bots.ts';
import { catalogueState } from './resources/catalogue-state.ts';
import { chartArchives } from './resources/chart-archives.ts';
import { clusterAccess } from './resources/cluster-access.ts';
import { clusterState } from './resources/cluster-state.ts';
import { clusterUsage } from './resources/cluster-usage.ts';
import type { Resource } from './contract.ts';
import { deploymentKinds } from './resources/deployment-kinds.ts';
import { deploymentPermissions } from './resources/deployment-permissions.ts';
import { deploymentResourceTypes } from './resources/deployment-resource-types.ts';
import { deploymentResources } from './resources/deployment-resources.ts';
import { deploymentState } from './resources/deployment-state.ts';
import { deploymentTasks } from './resources/deployment-tasks.ts';
import { deploymentTokens } from './resources/deployment-tokens.ts';
import { deploymentUsage } from './resources/deployment-usage.ts';
import { deployments } from './resources/deployments.ts';
import { envUserPermissions } from './resources/env-user-permissions.ts';
import { envs } from './resources/envs.ts';
import { events } from './resources/events.ts';
import { helmCharts } from './resources/helm-charts.ts';
import { helmRegistries } from './resources/helm-registries.ts';
import { helmTagFormats } from './resources/helm-tag-formats.ts';
import { identities } from './resources/identities.ts';
import { k8sClusters } from './resources/k8s-clusters.ts';
import { k8sResourceState } from './resources/k8s-resource-state.ts';
import { k8sResources } from './resources/k8s-resources.ts';
import { logins } from './resources/logins.ts';
import { me } from './resources/me.ts';
import { runnerTasks } from './resources/runner-tasks.ts';
import { secrets } from './resources/secrets.ts';
import { server } from './resources/server.ts';
import { signingKeys } from './resources/signing-keys.ts';
import { statusPolls } from './resources/status-polls.ts';
import { taskClaims } from './resources/task-claims.ts';
import { userTokens } from './resources/user-tokens.ts';
import { users } from './resources/users.ts';

/** Every resource of the platform, public and internal, by the name that code uses for it. */
export const contracts = {
  botTokens,
  bots,
  catalogueState,
  chartArchives,
  clusterAccess,
  clusterState,
  clusterUsage,
  deploymentKinds,
  deploymentPermissions,
  deploymentResourceTypes,
  deploymentResources,
  deploymentState,
  deploymentTasks,
  deploymentTokens,
  deploymentUsage,
  deployments,
  envUserPermissions,
  envs,
  events,
  helmCharts,
  helmRegistries,
  helmTagFormats,
  identities,
  k8sClusters,
  k8sResourceState,
  k8sResources,
  logins,
  me,
  runnerTasks,
  secrets,
  server,
  signingKeys,
  statusPolls,
  taskClaims,
  userTokens,
  users,
} as const satisfies Record<string, Resource>;

export const resources: readonly Resource[] = Object.values(contracts);

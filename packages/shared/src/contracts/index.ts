import { auditEvents, auditOfClusterSync, auditOfRegistryScan, auditOfTasks } from './resources/audit/audit-events.ts';
import { botTokens } from './resources/accounts/bot-tokens.ts';
import { bots } from './resources/accounts/bots.ts';
import { catalogueState } from './resources/charts/catalogue-state.ts';
import { chartArchives } from './resources/charts/chart-archives.ts';
import { clusterAccess } from './resources/clusters/cluster-access.ts';
import { clusterState } from './resources/clusters/cluster-state.ts';
import { clusterUsage } from './resources/clusters/cluster-usage.ts';
import type { Resource } from './definition/contract.ts';
import { deploymentCredentials } from './resources/clusters/deployment-credentials.ts';
import { deploymentKinds } from './resources/charts/deployment-kinds.ts';
import { deploymentPlace } from './resources/deployments/deployment-place.ts';
import { deploymentPermissions } from './resources/envs/deployment-permissions.ts';
import { deploymentPlans } from './resources/tasks/deployment-plans.ts';
import { deploymentResourceTypes } from './resources/deployments/deployment-resource-types.ts';
import { deploymentResources } from './resources/deployments/deployment-resources.ts';
import { deploymentState } from './resources/deployments/deployment-state.ts';
import { deploymentTasks } from './resources/tasks/deployment-tasks.ts';
import { deploymentTokens } from './resources/deployments/deployment-tokens.ts';
import { deploymentUsage } from './resources/deployments/deployment-usage.ts';
import { deployments } from './resources/deployments/deployments.ts';
import { dryRuns } from './resources/tasks/dry-runs.ts';
import { envUserPermissions } from './resources/envs/env-user-permissions.ts';
import { envs } from './resources/envs/envs.ts';
import { events } from './resources/gateway/events.ts';
import { helmCharts } from './resources/charts/helm-charts.ts';
import { helmRegistries } from './resources/charts/helm-registries.ts';
import { helmTagFormats } from './resources/charts/helm-tag-formats.ts';
import { identities } from './resources/accounts/identities.ts';
import { identityCaches, identityLeases } from './resources/accounts/identity-leases.ts';
import { k8sClusters } from './resources/clusters/k8s-clusters.ts';
import { k8sEvents } from './resources/clusters/k8s-events.ts';
import { k8sResourceState } from './resources/clusters/k8s-resource-state.ts';
import { k8sResources } from './resources/clusters/k8s-resources.ts';
import { logins } from './resources/accounts/logins.ts';
import { me } from './resources/accounts/me.ts';
import { resourceCalls } from './resources/tasks/resource-calls.ts';
import { runnerTasks } from './resources/tasks/runner-tasks.ts';
import { secrets } from './resources/deployments/secrets.ts';
import { server } from './resources/gateway/server.ts';
import { signingKeys } from './resources/accounts/signing-keys.ts';
import { statusPolls } from './resources/tasks/status-polls.ts';
import { taskClaims } from './resources/tasks/task-claims.ts';
import { userTokens } from './resources/accounts/user-tokens.ts';
import { users } from './resources/accounts/users.ts';

/** Every resource of the platform, public and internal, by the name that code uses for it. */
export const contracts = {
  auditEvents,
  auditOfClusterSync,
  auditOfRegistryScan,
  auditOfTasks,
  botTokens,
  bots,
  catalogueState,
  chartArchives,
  clusterAccess,
  clusterState,
  clusterUsage,
  deploymentCredentials,
  deploymentKinds,
  deploymentPermissions,
  deploymentPlace,
  deploymentPlans,
  deploymentResourceTypes,
  deploymentResources,
  deploymentState,
  deploymentTasks,
  deploymentTokens,
  deploymentUsage,
  deployments,
  dryRuns,
  envUserPermissions,
  envs,
  events,
  helmCharts,
  helmRegistries,
  helmTagFormats,
  identities,
  identityCaches,
  identityLeases,
  k8sClusters,
  k8sEvents,
  k8sResourceState,
  k8sResources,
  logins,
  me,
  resourceCalls,
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

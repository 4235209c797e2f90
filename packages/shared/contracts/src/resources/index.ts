import { auditEvents, auditOfClusterSync, auditOfRegistryScan, auditOfTasks } from './audit/audit-events.ts';
import { botTokens } from './accounts/bot-tokens.ts';
import { bots } from './accounts/bots.ts';
import { catalogueState } from './charts/catalogue-state.ts';
import { chartArchives } from './charts/chart-archives.ts';
import { chartVersions } from './charts/chart-versions.ts';
import { clusterAccess } from './clusters/cluster-access.ts';
import { clusterHealth } from './clusters/cluster-health.ts';
import { clusterRoleGrants } from './clusters/cluster-role-grants.ts';
import { clusterState } from './clusters/cluster-state.ts';
import { clusterUsage } from './clusters/cluster-usage.ts';
import type { Resource } from '../definition/contract.ts';
import { deploymentCredentials } from './clusters/deployment-credentials.ts';
import { deploymentNamespaces } from './clusters/deployment-namespaces.ts';
import { deploymentKinds } from './charts/deployment-kinds.ts';
import { shownTexts } from './deployments/shown-texts.ts';
import { deploymentHealth } from './deployments/deployment-health.ts';
import { deploymentPlace } from './deployments/deployment-place.ts';
import { deploymentPermissions } from './envs/deployment-permissions.ts';
import { deploymentPlans } from './tasks/deployment-plans.ts';
import { deploymentResourceTypes } from './deployments/deployment-resource-types.ts';
import { deploymentResources } from './deployments/deployment-resources.ts';
import { deploymentState } from './deployments/deployment-state.ts';
import { deploymentTasks } from './tasks/deployment-tasks.ts';
import { deploymentTokens } from './deployments/deployment-tokens.ts';
import { deploymentUsage } from './deployments/deployment-usage.ts';
import { deployments } from './deployments/deployments.ts';
import { dryRuns } from './tasks/dry-runs.ts';
import { envImpact } from './envs/env-impact.ts';
import { envUserPermissions } from './envs/env-user-permissions.ts';
import { envs } from './envs/envs.ts';
import { events } from './gateway/events.ts';
import { helmCharts } from './charts/helm-charts.ts';
import { helmRegistries } from './charts/helm-registries.ts';
import { registryChecks } from './charts/registry-checks.ts';
import { helmTagFormats } from './charts/helm-tag-formats.ts';
import { identities } from './accounts/identities.ts';
import { identityCaches, identityLeases } from './accounts/identity-leases.ts';
import { k8sClusters } from './clusters/k8s-clusters.ts';
import { k8sEvents } from './clusters/k8s-events.ts';
import { k8sResourceState } from './clusters/k8s-resource-state.ts';
import { k8sResources } from './clusters/k8s-resources.ts';
import { logins } from './accounts/logins.ts';
import { me } from './accounts/me.ts';
import { resourceCalls } from './tasks/resource-calls.ts';
import { runnerTasks } from './tasks/runner-tasks.ts';
import { secrets } from './deployments/secrets.ts';
import { server } from './gateway/server.ts';
import { signingKeys } from './accounts/signing-keys.ts';
import { statusPolls } from './tasks/status-polls.ts';
import { taskClaims } from './tasks/task-claims.ts';
import { userTokens } from './accounts/user-tokens.ts';
import { users } from './accounts/users.ts';

/** All resources of the platform, public and internal, by their name in the code. */
export const contracts = {
  auditEvents,
  auditOfClusterSync,
  auditOfRegistryScan,
  auditOfTasks,
  botTokens,
  bots,
  catalogueState,
  chartArchives,
  chartVersions,
  clusterAccess,
  clusterHealth,
  clusterRoleGrants,
  clusterState,
  clusterUsage,
  deploymentCredentials,
  deploymentHealth,
  deploymentKinds,
  deploymentNamespaces,
  deploymentPermissions,
  deploymentPlace,
  shownTexts,
  deploymentPlans,
  deploymentResourceTypes,
  deploymentResources,
  deploymentState,
  deploymentTasks,
  deploymentTokens,
  deploymentUsage,
  deployments,
  dryRuns,
  envImpact,
  envUserPermissions,
  envs,
  events,
  helmCharts,
  helmRegistries,
  registryChecks,
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

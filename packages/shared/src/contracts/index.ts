import { botTokens } from './bot-tokens.ts';
import { bots } from './bots.ts';
import { catalogueState } from './catalogue-state.ts';
import { chartArchives } from './chart-archives.ts';
import { clusterAccess } from './cluster-access.ts';
import { clusterState } from './cluster-state.ts';
import { clusterUsage } from './cluster-usage.ts';
import type { Resource } from './contract.ts';
import { deploymentKinds } from './deployment-kinds.ts';
import { deploymentPermissions } from './deployment-permissions.ts';
import { deploymentResourceTypes } from './deployment-resource-types.ts';
import { deploymentResources } from './deployment-resources.ts';
import { deploymentState } from './deployment-state.ts';
import { deploymentTasks } from './deployment-tasks.ts';
import { deploymentTokens } from './deployment-tokens.ts';
import { deploymentUsage } from './deployment-usage.ts';
import { deployments } from './deployments.ts';
import { envUserPermissions } from './env-user-permissions.ts';
import { envs } from './envs.ts';
import { events } from './events.ts';
import { helmCharts } from './helm-charts.ts';
import { helmRegistries } from './helm-registries.ts';
import { helmTagFormats } from './helm-tag-formats.ts';
import { identities } from './identities.ts';
import { k8sClusters } from './k8s-clusters.ts';
import { k8sResources } from './k8s-resources.ts';
import { logins } from './logins.ts';
import { me } from './me.ts';
import { runnerTasks } from './runner-tasks.ts';
import { secrets } from './secrets.ts';
import { server } from './server.ts';
import { signingKeys } from './signing-keys.ts';
import { taskClaims } from './task-claims.ts';
import { userTokens } from './user-tokens.ts';
import { users } from './users.ts';

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
  k8sResources,
  logins,
  me,
  runnerTasks,
  secrets,
  server,
  signingKeys,
  taskClaims,
  userTokens,
  users,
} as const satisfies Record<string, Resource>;

export const resources: readonly Resource[] = Object.values(contracts);

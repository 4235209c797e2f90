import { chartArchives } from './chart-archives.ts';
import { clusterAccess } from './cluster-access.ts';
import type { Resource } from './contract.ts';
import { deploymentTokens } from './deployment-tokens.ts';
import { envs } from './envs.ts';
import { identities } from './identities.ts';
import { runnerTasks } from './runner-tasks.ts';
import { signingKeys } from './signing-keys.ts';

/** Every resource of the platform, public and internal. */
export const resources: readonly Resource[] = [
  chartArchives,
  clusterAccess,
  deploymentTokens,
  envs,
  identities,
  runnerTasks,
  signingKeys,
];

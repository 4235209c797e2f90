import type { Transaction } from '@berth/db/database';
import { isPast } from '@berth/db/postgres/is-past';
import { createBotChanges } from './bots/bot-repository.ts';
import { createBotTokenChanges } from './bots/bot-token-repository.ts';
import { createDeploymentPermissionChanges } from './envs/deployment-permission-repository.ts';
import { createEnvMemberChanges } from './envs/env-member-repository.ts';
import { createEnvChanges } from './envs/env-repository.ts';
import { createDeploymentKindRepository } from './projections/deployment-kind-repository.ts';
import { createUserTokenChanges } from './tokens/user-token-repository.ts';
import { createUserChanges } from './users/user-repository.ts';

/** What a transaction reads and writes. */
export const storeOf = (tx: Transaction) => ({
  bots: createBotChanges(tx),
  botTokens: createBotTokenChanges(tx),
  deploymentKinds: createDeploymentKindRepository(tx),
  deploymentPermissions: createDeploymentPermissionChanges(tx),
  envMembers: createEnvMemberChanges(tx),
  envs: createEnvChanges(tx),
  users: createUserChanges(tx),
  userTokens: createUserTokenChanges(tx),
  isPast: (time: string) => isPast(tx, time),
});

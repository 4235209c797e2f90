import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { type CallingDeployment, deploymentState } from '@berth/contracts/resources/deployments/deployment-state';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { AppError } from '@berth/contracts/errors';
import { vi } from 'vitest';
import { createDeploymentKindRepository } from '../../src/projections/deployment-kind-repository.ts';
import { newApiToken } from '../../src/tokens/api-token.ts';
import type { Send, AuthUnderTest } from './auth-under-test.ts';
import { newUser } from './people.ts';
import { inStore } from './in-store.ts';

/** A bot with a token. */
export async function somebot({ db, as }: Pick<AuthUnderTest, 'db' | 'as'>, display_name = 'Somebot') {
  const bot = await inStore(db, ({ bots }) => bots.insert({ display_name }));
  const { id: created_by_user_id } = await newUser(db);
  const { id, secretHash, text } = newApiToken();
  const token = { id, secretHash, bot_id: bot.id, created_by_user_id, name: null, expires_at: null };
  await inStore(db, ({ botTokens }) => botTokens.insert(token));
  return { ...bot, token: text, tokenId: id, send: as({ token: text }) };
}

interface Deployments {
  rows: Map<string, CallingDeployment>;
  isAway: boolean;
  /** Requests are answered only once this resolves. */
  holdUntil: Promise<void> | undefined;
  /** How many requests have arrived. */
  arrived: number;
}

const deploymentsOf = new WeakMap<Bus, Deployments>();

/** Answers for `tasks` with the state of calling deployments. */
export async function deploymentsIn(tasks: Bus): Promise<Deployments> {
  const known = deploymentsOf.get(tasks);
  if (known) return known;
  const made: Deployments = { rows: new Map(), isAway: false, holdUntil: undefined, arrived: 0 };
  deploymentsOf.set(tasks, made);
  tasks.serve(
    implement(deploymentState, {
      now: async ({ body }) => {
        made.arrived += 1;
        await made.holdUntil;
        if (made.isAway) throw new AppError('unavailable', 'The database is away');
        return { deployment: made.rows.get(body.deployment_id) ?? null };
      },
    }),
  );
  await tasks.listening();
  return made;
}

/** Sets the deployment that `tasks` returns from now on. */
export async function haveDeployment(tasks: Bus, { id, name, env_id, enabled }: CallingDeployment): Promise<void> {
  (await deploymentsIn(tasks)).rows.set(id, { id, name, env_id, enabled });
}

/** Publishes a kind like `registry-scan`; resolves when it is in auth's projection. */
export async function somekind(auth: AuthUnderTest, registryScan: Bus): Promise<string> {
  const id = randomUUID();
  const row = { id, created_at: new Date().toISOString(), name: `Kind ${id}` };
  const resource = 'deployment_kinds';
  await registryScan.state.ensureStream();
  await registryScan.state.publish({ resource, id, version: 1, env_id: null, operation: 'INSERT', row });
  const deploymentKindRepository = createDeploymentKindRepository(auth.db);
  await vi.waitFor(
    async () => {
      if (!(await deploymentKindRepository.exists(id))) throw new Error('auth does not know it yet');
    },
    { interval: 20 },
  );
  return id;
}

export const newDeployment = (env_id: string): Deployment => ({
  id: randomUUID(),
  created_at: new Date().toISOString(),
  name: `web-${randomUUID().slice(0, 8)}`,
  kind_id: randomUUID(),
  env_id,
  cluster_id: randomUUID(),
  namespace: 'web',
  enabled: true,
  status: 'Running',
  description_md: null,
  reason: null,
  health: null,
  revision_id: null,
  reported_status: null,
  helm_chart_id: randomUUID(),
  config: {},
  values_override: null,
});

export interface SomeDeployment extends Deployment {
  jwt: string;
  send: Send;
}

/** A deployment with a token for calls to Berth. */
export async function somedeployment(
  auth: AuthUnderTest,
  tasks: Bus,
  clusterSync: Bus,
  envId: string,
): Promise<SomeDeployment> {
  const row = newDeployment(envId);
  await haveDeployment(tasks, row);
  const { access_token: jwt } = await clusterSync.call(deploymentTokens.operations.issue, {
    body: { deployment_id: row.id, env_id: envId },
  });
  return { ...row, jwt, send: auth.as({ jwt }) };
}

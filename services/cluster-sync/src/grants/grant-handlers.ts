import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { AppError, found, named } from '@berth/contracts/errors';
import { catalogueState } from '@berth/contracts/resources/charts/catalogue-state';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { clusterRoleGrants } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { envs } from '@berth/contracts/resources/envs/envs';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import type { InTransaction } from '@berth/db/in-transaction';
import type { DeploymentScope, GrantChanges, GrantRepository } from './grant-repository.ts';

export interface GrantHandlersDeps {
  readonly inTransaction: InTransaction<{ grants: GrantChanges }>;
  readonly grantRepository: GrantRepository;
  readonly bus: Pick<Bus, 'call'>;
}

interface Caller {
  readonly identityToken: string | undefined;
  readonly requestId: string;
  remainingMs(): number;
}

const { singular } = clusterRoleGrants;
/** Limited, because each grant costs two requests to the cluster before every deploy. */
const mostOfKind = 20;

export const grantHandlers = ({ inTransaction, grantRepository, bus }: GrantHandlersDeps) => {
  /** Confirmed with the owners: a projection may lag, and grants are often made right after their env. */
  async function refuseMissing({ env_id, kind_id }: DeploymentScope, caller: Caller): Promise<void> {
    const { identityToken, requestId } = caller;
    const options = { requestId, deadlineMs: caller.remainingMs() };
    const [env, { kind }] = await Promise.all([
      bus.call(envs.operations.get, { id: env_id }, { ...options, identityToken }).catch(nullIfNotFound),
      bus.call(catalogueState.operations.now, { body: { kind_id } }, options),
    ]);
    named(env, 'body.env_id', envs.singular);
    named(kind, 'body.kind_id', deploymentKinds.singular);
  }

  /** The env and kind of a deployment, from its owner; null if the deployment does not exist. */
  async function scopeOf(deployment_id: string, requestId: string) {
    const { now } = deploymentPlace.operations;
    return (await bus.call(now, { body: { deployment_id } }, { requestId })).deployment;
  }

  return implement(clusterRoleGrants, {
    list: async ({ query }, { identity, requestId }) => {
      const { deployment_id, ...filters } = query;
      const visible = visibleEnvs(identity);
      if (deployment_id === undefined) return grantRepository.list(filters, visible);
      return grantRepository.list(filters, visible, await scopeOf(deployment_id, requestId));
    },

    get: async ({ id }, { identity }) => found(await grantRepository.find(id, visibleEnvs(identity)), singular),

    create: async ({ body }, context) => {
      await refuseMissing(body, context);
      return createRow(inTransaction, context, clusterRoleGrants, {
        insert: async ({ grants }) => {
          named((await grants.holdEnv(body.env_id)) || null, 'body.env_id', envs.singular);
          if ((await grants.numberOf(body)) >= mostOfKind) throw tooMany();
          return grants.insert(body);
        },
      });
    },

    delete: ({ id }, context) =>
      removeRow(inTransaction, context, clusterRoleGrants, {
        lock: ({ grants }) => grants.lock(id),
        remove: ({ grants }) => grants.remove(id),
      }),
  });
};

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}

const tooMany = () =>
  new AppError('conflict', `The kind has ${mostOfKind} grants in this env, which is the maximum; revoke one first`);

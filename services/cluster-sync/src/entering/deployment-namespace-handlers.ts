import { KubeError } from '@berth/kube/kube-error';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentNamespaces } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError } from '@berth/contracts/errors';
import {
  type ClaimedPlace,
  type ClaimedPlaceDeps,
  claimedPlace,
  describeFailureAt,
  withoutAddress,
} from '../claimed-places/claimed-place.ts';
import { enterNamespace } from './enter-namespace.ts';
import type { EnterDeps } from './entry.ts';
import { type RemoveDeps, removeNamespace } from './remove-namespace.ts';

export interface DeploymentNamespaceHandlersDeps extends ClaimedPlaceDeps, EnterDeps, RemoveDeps {
  readonly accountRepository: EnterDeps['accountRepository'] & RemoveDeps['accountRepository'];
  readonly bindingRepository: EnterDeps['bindingRepository'] & RemoveDeps['bindingRepository'];
  readonly namespaceRepository: RemoveDeps['namespaceRepository'];
}

export const deploymentNamespaceHandlers = (deps: DeploymentNamespaceHandlersDeps) =>
  implement(deploymentNamespaces, {
    enter: async ({ body: { needed_seconds, ...claim } }, { signal, requestId, log, caller }) => {
      const place = await claimedPlace(deps, claim, requestId);
      const confirm = () => deps.bus.call(taskClaims.operations.get, { body: claim }, { requestId });
      const entered = await enterNamespace(deps, place, { ...claim, needed_seconds, confirm, signal }).catch(
        (error: unknown) => {
          throw refusal(error, `let a task into the namespace ${place.claim.namespace}`, place);
        },
      );
      const { cluster_id, deployment_id, namespace } = place.claim;
      const { state, is_new, access } = entered;
      const { task_id } = claim;
      const expires_at = access?.expires_at ?? null;
      log.info(
        { cluster_id, deployment_id, namespace, task_id, caller, state, is_new, expires_at },
        'namespace entered',
      );
      return { ...entered, ...(place.isOfOtherEnv && { is_of_other_env: true }) };
    },

    remove: async ({ body: claim }, { signal, requestId, log }) => {
      const place = await claimedPlace(deps, claim, requestId);
      const { cluster_id, deployment_id, namespace } = place.claim;
      const removed = await removeNamespace(deps, place, { ...claim, signal }).catch((error: unknown) => {
        throw refusal(error, `remove the namespace ${namespace}`, place);
      });
      if (removed.gone) log.info({ cluster_id, deployment_id, namespace, task_id: claim.task_id }, 'namespace removed');
      return removed;
    },
  });

/** Words an error of the cluster for the reason of a task. The task is repeated unless the cluster refuses the object itself. */
function refusal(error: unknown, what: string, place: ClaimedPlace): unknown {
  if (error instanceof AppError) {
    const { code, message, retryAfterSeconds } = error;
    // That of a grant that could not be bound names the address, too.
    return place.isOfOtherEnv
      ? new AppError(code, withoutAddress(place, message), { cause: error, retryAfterSeconds })
      : error;
  }
  const words = `The cluster did not ${what}: ${describeFailureAt(place, error)}`;
  const status = error instanceof KubeError ? error.status : 0;
  return new AppError([400, 405, 413, 422].includes(status) ? 'conflict' : 'unavailable', words, { cause: error });
}

import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import {
  type DeploymentTask,
  deploymentTasks,
  type NewDeploymentTask,
} from '@berth/contracts/resources/tasks/deployment-tasks';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import { canonicalJson } from '@berth/contracts/fields/canonical-json';
import { runAction } from '@berth/db/changes/run-action';
import type { TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { named } from '@berth/contracts/errors';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { checkRestart } from '../../deployments/check-restart.ts';
import { confirmedCatalogue } from '../../projections/confirmed-catalogue.ts';
import { repeatableWith } from '../../secrets/repeatable-with.ts';
import type { WritingStore } from '../../store/store.ts';
import { originOf } from '../../records/origin-of.ts';
import { needsOf, operationOf } from '../../engine/operations/index.ts';
import type { NamedObject } from '../../engine/operations/operation.ts';
import { type QueueDeps, queueOperation } from './queue-operation.ts';
import { owner } from '@berth/contracts/access/rules';
import { ruleOfOperation } from './rule-of-operation.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { publicTask, type TaskRecord } from '../../records/task-record.ts';
import { variantOf } from '../../records/variant.ts';
import type { WaitReasons } from '../../queue/wait-reasons.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.create>;

/** Requests a task by its operation, which stands for an update of the deployment (Specification, "Task operations"). */
export const requestTask =
  (deps: DeploymentsDeps & QueueDeps & { waitReasons: WaitReasons }) =>
  async (body: NewDeploymentTask, context: Context): Promise<DeploymentTask> => {
    const tracked = await trackedObject(deps, needsOf(body.operation).object, context);
    const task = await confirmedCatalogue(
      () =>
        runAction(deps.inTransaction, repeatable(deps, body, context), deploymentTasks, {
          lock: (store) => lockForRequest(store, body, context),
          scope: ({ deployment, needsOwner }) => ({ ...deployment, needsOwner }),
          run: (store, { deployment }) => request(deps, store, { body, tracked, deployment }, context),
          audited: ({ id, env_id, deployment_id, execute_at }) => ({
            action: 'create',
            objectId: id,
            envId: env_id,
            details: { deployment_id, operation: variantOf(body.operation), execute_at },
          }),
          answer: (task, store) => deps.waitReasons.addTo(store, publicTask(task)),
        }),
      deps.confirm,
      context,
    );
    deps.notifyRunners();
    return task;
  };

/** Which inputs of an action are sensitive is known only after its chart is read, so the digest covers the whole body. */
function repeatable({ secretKeys }: QueueDeps, { operation, ...body }: NewDeploymentTask, context: Context) {
  const { action } = needsOf(operation);
  if (!action) return context;
  const digested = { ...action, body: secretKeys.digest(canonicalJson(action.body)) };
  return repeatableWith(context, { body: { ...body, action: digested } });
}

const changeOf = (operation: RequestedOperation) => operationOf(operation).change?.of(operation) ?? null;

/** Read before anything is locked. Its place and the caller's permission are checked later, with everything else. */
const trackedObject = async (
  { confirm }: Pick<DeploymentsDeps, 'confirm'>,
  object: NamedObject | undefined,
  context: Context,
): Promise<TrackedObject | null> => (object ? confirm.trackedObject(object.resource_id, context) : null);

interface Request {
  body: NewDeploymentTask;
  tracked: TrackedObject | null;
  deployment: DeploymentRecord;
}

async function lockForRequest(store: WritingStore, { deployment_id, operation }: NewDeploymentTask, context: Context) {
  const path = 'body.deployment_id';
  named(await store.deployments.find(deployment_id, visibleEnvs(context.identity)), path, 'deployment');
  const deployment = named(await store.deployments.lock(deployment_id), path, 'deployment');
  const rule = await ruleOfOperation(store.projected, { operation, change: changeOf(operation) }, deployment);
  return { deployment, needsOwner: rule === owner };
}

function request(
  deps: DeploymentsDeps & QueueDeps,
  store: WritingStore,
  { body: { operation, execute_at }, tracked, deployment }: Request,
  context: Context,
): Promise<TaskRecord> {
  const { object } = needsOf(operation);
  return queueOperation(deps, store, {
    deployment,
    operation,
    visible: visibleEnvs(context.identity),
    origin: originOf(context),
    executeAt: execute_at,
    object: object && checkRestart(object, tracked, deployment),
  });
}

import { owner } from '@berth/shared/access/rules';
import { visibleEnvs } from '@berth/shared/access/visible-envs';
import type { HandlerContext } from '@berth/shared/bus/bus';
import type {
  DeploymentTask,
  deploymentTasks,
  NewDeploymentTask,
} from '@berth/shared/contracts/resources/deployment-tasks';
import type { RequestedOperation } from '@berth/shared/contracts/resources/task-operation';
import { named } from '@berth/shared/errors';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { confirmedCatalogue } from '../../projections/confirmed-catalogue.ts';
import type { WritingStore } from '../../store/store.ts';
import { originOf } from '../../records/origin-of.ts';
import { operations } from '../../engine/operations/index.ts';
import { variantOf } from '../../records/variant.ts';
import { queueOperation } from './queue-operation.ts';
import { ruleOfChange } from './rule-of-change.ts';
import { publicTask } from '../../records/task-record.ts';
import type { WaitReasons } from '../../queue/wait-reasons.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.create>;

/** A task by its operation, which means the same update of the deployment (Specification, "Task operations"). */
export const requestTask =
  (deps: DeploymentsDeps & { waitReasons: WaitReasons }) =>
  async (body: NewDeploymentTask, context: Context): Promise<DeploymentTask> => {
    const task = await confirmedCatalogue(
      () =>
        deps.inTransaction((store) =>
          store.once(context, async () =>
            deps.waitReasons.addTo(store, publicTask(await request(deps, store, body, context))),
          ),
        ),
      deps.confirm,
      { helm_chart_id: changesOf(body.operation)?.helm_chart_id },
      context,
    );
    deps.wakeRunners();
    return task;
  };

const changesOf = (operation: RequestedOperation) => operations[variantOf(operation)].changes(operation);

async function request(deps: DeploymentsDeps, store: WritingStore, body: NewDeploymentTask, context: Context) {
  const { deployment_id, operation, execute_at } = body;
  const visible = visibleEnvs(context.identity);
  named(await store.deployments.find(deployment_id, visible), 'body.deployment_id', 'deployment');
  const deployment = named(await store.deployments.lock(deployment_id), 'body.deployment_id', 'deployment');
  permitOperation(context, deployment, operation);

  const task = await queueOperation(deps, store, {
    deployment,
    operation,
    visible,
    origin: originOf(context),
    executeAt: execute_at,
  });
  await store.recordAudit({
    by: context,
    action: 'create',
    resource: 'deployment_tasks',
    objectId: task.id,
    envId: task.env_id,
    details: { deployment_id, operation: Object.keys(operation)[0] ?? null, execute_at: task.execute_at },
  });
  return task;
}

function permitOperation(context: Context, deployment: DeploymentRecord, operation: RequestedOperation): void {
  context.permit(deployment);
  const changes = changesOf(operation);
  if (changes && ruleOfChange(changes, deployment) === owner) context.permit(deployment, owner);
}

import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { runAction } from '@berth/db/changes/run-action';
import { confirmedCatalogue } from '../../projections/confirmed-catalogue.ts';
import { mayCancelBy } from '../../queue/supersede.ts';
import { lastOf } from '../../queue/queue-tasks.ts';
import type { WaitReasons } from '../../queue/wait-reasons.ts';
import { type DeploymentRecord, publicDeployment } from '../../records/deployment-record.ts';
import { originOf } from '../../records/origin-of.ts';
import { publicTask, type TaskRecord } from '../../records/task-record.ts';
import type { WritingStore } from '../../store/store.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { rollbackPaths } from '../../records/field-paths.ts';
import { makeChange } from '../../deployments/make-change.ts';
import { proposeChange } from '../../deployments/propose-change.ts';
import { rollback } from '../../engine/operations/plans.ts';
import { refuseWrongState } from './refuse-wrong-state.ts';
import { runToReturnTo } from './run-to-return-to.ts';
import { lockVisible } from '../../deployments/update-deployment.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.rollback>;

/** An Upgrade to the run of an earlier task, with the checks of a new request (Specification, "Rollback"). */
export const rollbackDeployment =
  (deps: DeploymentsDeps & { waitReasons: WaitReasons }) =>
  async (id: string, { taskId, supersedes }: Rollback, context: Context): Promise<DeploymentTask> => {
    const task = await confirmedCatalogue(
      () =>
        runAction(deps.inTransaction, context, deploymentTasks, {
          lock: async (store): Promise<Target> => {
            const visible = visibleEnvs(context.identity);
            const before = await lockVisible(store, id, visible);
            const task = (await store.tasks.find(taskId, visible)) && (await store.tasks.ran(taskId));
            return { before, task };
          },
          scope: ({ before, task }) => {
            const earlier = task?.run?.action === 'deploy' ? task.run : before;
            return { ...before, returns_to: { values_override: earlier.values_override } };
          },
          matched: ({ before }) => publicDeployment(before),
          run: (store, target) => queueRollback(deps, store, target, { taskId, supersedes, context }),
          audited: ({ env_id, id: objectId }) => ({
            action: 'rollback',
            objectId,
            envId: env_id,
            details: { deployment_id: id, to_task_id: taskId },
          }),
          answer: (queued, store) => deps.waitReasons.addTo(store, publicTask(queued)),
        }),
      deps.confirm,
      context,
    );
    deps.notifyRunners();
    return task;
  };

interface Rollback {
  /** The task to return to. */
  taskId: string;
  supersedes: boolean;
}

interface Target {
  before: DeploymentRecord;
  /** The task to return to; null if the caller does not see it. */
  task: Parameters<typeof runToReturnTo>[1];
}

async function queueRollback(
  deps: DeploymentsDeps,
  store: WritingStore,
  { before, task }: Target,
  { taskId, supersedes, context }: Rollback & { context: Context },
): Promise<TaskRecord> {
  const { helm_chart_id, config, values_override } = runToReturnTo(before, task);
  refuseWrongState(rollback, before, true);
  const changes = { helm_chart_id, config, values_override };
  const visible = visibleEnvs(context.identity);
  const wanted = { before, changes, visible, paths: rollbackPaths, plan: [rollback], rollbackTo: taskId };
  const proposed = await proposeChange(deps, store, wanted);
  const mayCancel = supersedes ? mayCancelBy(context) : null;
  return lastOf((await makeChange(store, proposed, originOf(context), mayCancel)).tasks);
}

import { owner } from '@berth/contracts/access/rules';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { runAction } from '@berth/db/changes/run-action';
import { found } from '@berth/contracts/errors';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { conflict } from '../../errors/refuse.ts';
import type { WritingStore } from '../../store/store.ts';
import { refreshReason } from '../../queue/at-rest.ts';
import { mayCancelBy, supersede } from '../../queue/supersede.ts';
import { scopeOfTask } from '../../queue/scope-of-task.ts';
import { lockTask } from '../../queue/lock-task.ts';
import { noLongerFits } from './no-longer-fits.ts';
import type { QueueDeps } from './queue-operation.ts';
import { queueRetry } from './queue-retry.ts';
import { originOf } from '../../records/origin-of.ts';
import { isRetriable } from '../../engine/deployments/lifecycle.ts';
import { ruleOfOperation } from './rule-of-operation.ts';
import { publicTask, type TaskRecord } from '../../records/task-record.ts';
import type { WaitReasons } from '../../queue/wait-reasons.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.retry>;

interface RetryOptions {
  /** It supersedes a task that only awaits readiness. */
  supersedes: boolean;
  /** The release is removed without its hooks. */
  skipsHooks: boolean;
}

/** A new task of the same operation, due at once, with the checks of a new request (Specification, "Retry"). */
export const retryTask =
  (deps: DeploymentsDeps & QueueDeps & { waitReasons: WaitReasons }) =>
  async (id: string, options: RetryOptions, context: Context): Promise<DeploymentTask> => {
    const task = await runAction(deps.inTransaction, context, deploymentTasks, {
      lock: (store) => lockToRetry(store, id, context),
      scope: ({ old, deployment, needsOwner }) => {
        const { change, deletes_deployment: deletes } = old;
        return { ...scopeOfTask(old, deployment), retried: { deployment, change, deletes, needsOwner } };
      },
      run: (store, target) => request(deps, store, target, { ...options, context }),
      audited: (retried, { old: { env_id, deployment_id } }) => ({
        action: 'retry',
        objectId: id,
        envId: env_id,
        details: { deployment_id, new_task_id: retried.id, ...(options.skipsHooks && { skip_hooks: true }) },
      }),
      answer: (retried, store) => deps.waitReasons.addTo(store, publicTask(retried)),
    });
    deps.notifyRunners();
    return task;
  };

interface Target {
  old: TaskRecord;
  deployment: DeploymentRecord | null;
  needsOwner: boolean;
}

async function lockToRetry(store: WritingStore, id: string, context: Context): Promise<Target | null> {
  const isVisible = (await store.tasks.find(id, visibleEnvs(context.identity))) !== null;
  const locked = isVisible ? await lockTask(store, id) : null;
  if (!locked) return null;
  const { task: old, deployment } = locked;
  const rule = deployment && (await ruleOfOperation(store.projected, old, deployment));
  return { old, deployment, needsOwner: rule === owner };
}

async function request(
  deps: QueueDeps,
  store: WritingStore,
  { old, deployment }: Target,
  { supersedes, skipsHooks, context }: RetryOptions & { context: Context },
): Promise<TaskRecord> {
  if (!isRetriable(old.status)) throw conflict(`The task is ${old.status}`);
  if (!deployment) throw conflict('The deployment was deleted');

  const origin = originOf(context);
  const retried = await queueRetry(deps, store, { old, deployment, skipsHooks, origin }).catch((error: unknown) => {
    throw noLongerFits(error);
  });
  const now = await refreshReason(store, found(await store.deployments.lock(deployment.id), 'deployment'));
  if (supersedes) await supersede(store, now, { by: retried, origin, mayCancel: mayCancelBy(context) });
  return retried;
}

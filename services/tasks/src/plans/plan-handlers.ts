import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { etagOf } from '@berth/bus/rpc/etag';
import { implement } from '@berth/bus/rpc/implement';
import { type DeploymentPlan, deploymentPlans } from '@berth/contracts/resources/tasks/deployment-plans';
import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import {
  type DeploymentChanges,
  deployments,
  type NewDeployment,
} from '@berth/contracts/resources/deployments/deployments';
import { found } from '@berth/contracts/errors';
import type { ItemReaders } from '../collections/find-items.ts';
import { fitCreation } from '../deployments/create-deployment.ts';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { deploymentPaths } from '../records/field-paths.ts';
import { fitChanges } from '../deployments/fit-changes.ts';
import { tasksOf } from '../deployments/make-changes.ts';
import { permitMove, targetOf } from '../deployments/update-deployment.ts';
import { planCreation, planUpdate } from '../engine/operations/plans.ts';
import { plannedTasks } from '../engine/tasks/planned-tasks.ts';
import { conflict } from '../errors/refuse.ts';
import { confirmedCatalogue } from '../projections/confirmed-catalogue.ts';
import { type DeploymentRecord, publicDeployment } from '../records/deployment-record.ts';
import type { NewTask } from '../records/new-task.ts';
import { variantOf } from '../records/variant.ts';
import { dryRunsOf } from './dry-runs-of.ts';
import { makeDryRuns, type MakeDryRunsDeps } from './make-dry-runs.ts';
import { newRecord } from './new-record.ts';

export interface PlanHandlersDeps extends Pick<DeploymentsDeps, 'confirm' | 'reserved'>, MakeDryRunsDeps {
  store: DeploymentsDeps['store'];
  /** They hold nothing: a plan changes nothing that could contradict them. */
  readers: ItemReaders;
}

type Context = Pick<
  HandlerContext<typeof deploymentPlans.operations.of_update>,
  'identity' | 'permit' | 'requestId' | 'remainingMs' | 'signal'
>;

/** What a change would do: its checks, its tasks, and what a runner finds out about its objects. Nothing is written. */
export const planHandlers = (deps: PlanHandlersDeps) =>
  implement(deploymentPlans, {
    of_update: async ({ id, body }, context) => {
      const { deployment, tasks } = await confirmedCatalogue(
        () => checkUpdate(deps, { id, changes: body }, context),
        deps.confirm,
        { helm_chart_id: body.helm_chart_id },
        context,
      );
      return planOf(deps, { deployment, tasks, isNew: false }, context);
    },

    of_creation: async ({ body }, context) => {
      await deps.confirm.cluster(body.cluster_id, context);
      const { deployment, tasks } = await confirmedCatalogue(
        () => checkCreation(deps, body, context),
        deps.confirm,
        { helm_chart_id: body.helm_chart_id, kind_id: body.kind_id },
        context,
      );
      return planOf(deps, { deployment, tasks, isNew: true }, context);
    },
  });

interface Checked {
  deployment: DeploymentRecord;
  tasks: NewTask[];
}

/** The checks of the change itself, in the same order. */
async function checkUpdate(
  { store, confirm, reserved, readers }: PlanHandlersDeps,
  { id, changes }: { id: string; changes: DeploymentChanges },
  context: HandlerContext<typeof deploymentPlans.operations.of_update>,
): Promise<Checked> {
  const visible = visibleEnvs(context.identity);
  found(await store.deployments.find(id, visible), 'deployment');
  const before = found(await store.deployments.record(id), 'deployment');
  const target = targetOf(before, changes);
  if (target !== null) await confirm.cluster(target, context);
  context.permit(before);
  await permitMove(store, before, { changes, visible, context });
  if (before.deleting) throw conflict('The deployment is being deleted');

  const fit = await fitChanges(store, before, changes, { paths: deploymentPaths, visible, reserved, readers });
  return { deployment: before, tasks: await tasksOf(store, planUpdate(before, fit.after), before, fit) };
}

async function checkCreation(
  { store, reserved, readers }: PlanHandlersDeps,
  body: NewDeployment,
  context: HandlerContext<typeof deploymentPlans.operations.of_creation>,
): Promise<Checked> {
  const { place, kind, chart } = await fitCreation(store, body, { context, reserved, readers });
  const after = newRecord(body, place);
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  return {
    deployment: after,
    tasks: plannedTasks(planCreation, { before: null, after, kind: kind.name, reinstallDependents }),
  };
}

async function planOf(
  deps: PlanHandlersDeps,
  { deployment, tasks, isNew }: Checked & { isNew: boolean },
  { identity, signal, remainingMs }: Context,
): Promise<DeploymentPlan> {
  const { store } = deps;
  const revision = await store.tasks.deployRunOf(deployment.revision_id);
  const runs = dryRunsOf(tasks, deployment, revision);
  const results = await makeDryRuns(deps, runs, { identity, envId: deployment.env_id, signal, remainingMs });
  const reinstalls =
    !isNew && tasks.some(({ reinstall_dependents }) => reinstall_dependents)
      ? await store.references.reinstalledAfter('deployments', deployment.id)
      : [];
  const inCluster = <Of extends object>(of: (result: DryRunResult) => readonly Of[]) =>
    results.flatMap((result, index) =>
      of(result).map((one) => ({ cluster_id: runs[index]?.cluster_id ?? deployment.cluster_id, ...one })),
    );
  const sum = (of: (result: DryRunResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    etag: isNew ? null : (etagOf(deployments, publicDeployment(deployment)) ?? null),
    tasks: tasks.map(({ operation, cluster_id }) => ({ operation: variantOf(operation), cluster_id })),
    reinstalls: reinstalls.map(({ id: deployment_id, namespace }) => ({ deployment_id, namespace })),
    objects: inCluster(({ objects }) => objects),
    hooks: inCluster(({ hooks }) => hooks),
    unchanged: sum(({ unchanged }) => unchanged),
    cut: {
      objects: sum(({ cut }) => cut.objects),
      fields: sum(({ cut }) => cut.fields),
      values: sum(({ cut }) => cut.values),
      hooks: sum(({ cut }) => cut.hooks),
    },
  };
}

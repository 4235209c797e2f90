import { randomUUID } from 'node:crypto';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { etagOf } from '@berth/bus/rpc/etag';
import { implement } from '@berth/bus/rpc/implement';
import {
  type DeploymentPlan,
  deploymentPlans,
  type PlannedSuperseding,
} from '@berth/contracts/resources/tasks/deployment-plans';
import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { type DeploymentChanges, deployments } from '@berth/contracts/resources/deployments/deployments';
import { found } from '@berth/contracts/errors';
import type { AuditEntry } from '@berth/db/audit/audit-log';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { proposeChange, proposeCreation, type ProposedChange } from '../deployments/propose-change.ts';
import { permitMove, targetOf } from '../deployments/update-deployment.ts';
import { confirmedCatalogue } from '../projections/confirmed-catalogue.ts';
import { alwaysSupersedes, supersedable } from '../engine/tasks/superseded.ts';
import { publicDeployment } from '../records/deployment-record.ts';
import { variantOf } from '../records/variant.ts';
import type { ReadingStore } from '../store/store.ts';
import { dryRunsOf } from './dry-runs-of.ts';
import { makeDryRuns, type MakeDryRunsDeps } from './make-dry-runs.ts';

export type PlanHandlersDeps = Pick<DeploymentsDeps, 'store' | 'confirm' | 'reserved' | 'heldReaders'> &
  MakeDryRunsDeps;

/** Placeholder id of a deployment that does not exist yet. */
const noDeployment = '00000000-0000-0000-0000-000000000000';

type Context = Pick<
  HandlerContext<typeof deploymentPlans.operations.of_update>,
  'identity' | 'permit' | 'requestId' | 'remainingMs' | 'signal'
>;

/** Plans show what a change would do: its tasks and, from a runner, its objects. They write only to the audit log. */
export const planHandlers = (deps: PlanHandlersDeps) =>
  implement(deploymentPlans, {
    of_update: async ({ id, body }, context) => {
      const propose = () => checkUpdate(deps, { id, changes: body }, context);
      return planOf(deps, await confirmedCatalogue(propose, deps.confirm, context), context);
    },

    of_creation: async ({ body }, context) => {
      await deps.confirm.cluster(body.cluster_id, context);
      const propose = () =>
        proposeCreation(deps, deps.store, { id: body.adopt ? randomUUID() : noDeployment, body, context });
      return planOf(deps, await confirmedCatalogue(propose, deps.confirm, context), context);
    },
  });

/** The checks of the change itself, in the same order. */
async function checkUpdate(
  deps: PlanHandlersDeps,
  { id, changes }: { id: string; changes: DeploymentChanges },
  context: HandlerContext<typeof deploymentPlans.operations.of_update>,
): Promise<ProposedChange> {
  const { store, confirm } = deps;
  const visible = visibleEnvs(context.identity);
  found(await store.deployments.find(id, visible), 'deployment');
  const before = found(await store.deployments.record(id), 'deployment');
  const target = targetOf(before, changes);
  if (target !== null) await confirm.cluster(target, context);
  context.permit(before);
  await permitMove(store, before, { changes, visible, context });
  return proposeChange(deps, store, { before, changes, visible });
}

async function planOf(
  deps: PlanHandlersDeps,
  proposed: ProposedChange,
  { identity, requestId, signal, remainingMs }: Context,
): Promise<DeploymentPlan> {
  const { store } = deps;
  const { before, after, tasks } = proposed;
  const deployment = before ?? after;
  const revision = await store.tasks.deployRunOf(deployment.revision_id);
  const runs = dryRunsOf(tasks, deployment, revision);
  const audit: AuditEntry = {
    by: { identity, requestId },
    action: 'plan',
    resource: deployments.name,
    objectId: before?.id ?? null,
    envId: after.env_id,
    details: { cluster_id: after.cluster_id, namespace: after.namespace },
  };
  const { env_id: envId, kind_id: kindId } = deployment;
  const results = await makeDryRuns(deps, runs, { identity, audit, envId, kindId, signal, remainingMs });
  const reinstalls =
    before && tasks.some(({ reinstall_dependents }) => reinstall_dependents)
      ? await store.references.reinstalledAfter('deployments', deployment.id)
      : [];
  const inCluster = <Of extends object>(of: (result: DryRunResult) => readonly Of[]) =>
    results.flatMap((result, index) =>
      of(result).map((one) => ({ cluster_id: runs[index]?.cluster_id ?? deployment.cluster_id, ...one })),
    );
  const sum = (of: (result: DryRunResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    etag: before && (etagOf(deployments, publicDeployment(before)) ?? null),
    tasks: tasks.map(({ operation, cluster_id }) => ({ operation: variantOf(operation), cluster_id })),
    supersedes: await supersededIn(store, proposed),
    reinstalls: reinstalls.map(({ id: deployment_id, namespace }) => ({ deployment_id, namespace })),
    objects: inCluster(({ objects }) => objects),
    hooks: inCluster(({ hooks }) => hooks),
    cluster_roles: inCluster(({ cluster_roles = [] }) => cluster_roles),
    contested: inCluster(({ contested = [] }) => contested),
    untried: inCluster(({ untried = [] }) => untried),
    unchanged: sum(({ unchanged }) => unchanged),
    cut: {
      objects: sum(({ cut }) => cut.objects),
      fields: sum(({ cut }) => cut.fields),
      values: sum(({ cut }) => cut.values),
      hooks: sum(({ cut }) => cut.hooks),
    },
  };
}

/** Read after the dry runs, when more may be waiting for readiness; a change that queues no task supersedes none. */
async function supersededIn(
  { tasks: { open } }: Pick<ReadingStore, 'tasks'>,
  { before, after, tasks }: ProposedChange,
): Promise<PlannedSuperseding | null> {
  const task = before && tasks.length > 0 ? supersedable(await open(before.id)) : undefined;
  if (!task) return null;
  return { task_id: task.id, operation: task.variant, when: alwaysSupersedes(before, after) ? 'always' : 'requested' };
}

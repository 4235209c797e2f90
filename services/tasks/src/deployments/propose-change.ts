import { isDeepStrictEqual } from 'node:util';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import type { DeploymentChanges, deployments, NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { applyGiven } from '@berth/db/changes/apply-given';
import { healPlan } from '../engine/operations/heal-plan.ts';
import { planCreation, planUpdate } from '../engine/operations/plans.ts';
import { plannedTasks } from '../engine/tasks/planned-tasks.ts';
import { refuseDeleted } from '../errors/refuse.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import { deploymentPaths, type FieldPaths } from '../records/field-paths.ts';
import type { NewTask } from '../records/new-task.ts';
import type { Reference } from '../records/reference.ts';
import type { Variant } from '../records/variant.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { ReadingStore } from '../store/store.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { fitChanges, fitCreation } from './fit-changes.ts';
import type { Place } from './place.ts';
import { adopting, stillAdopting } from '../queue/still-adopting.ts';

/** A change that passed all checks and is not written yet: an update writes it, a plan shows it. */
export interface ProposedChange {
  /** Null if the deployment is new. */
  before: DeploymentRecord | null;
  after: DeploymentRecord;
  /** The references of its inputs; null if they did not change. */
  references: Reference[] | null;
  /** In the order in which they run. */
  tasks: NewTask[];
}

export type ProposeDeps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

export interface ChangeWanted {
  before: DeploymentRecord;
  changes: DeploymentChanges;
  /** The envs of the caller, the only ones to which the caller can move the deployment. */
  visible: VisibleEnvs;
  paths?: FieldPaths;
  /** The requested operations; by default those that the update needs. */
  plan?: readonly Variant[];
  /** The task to which a rollback returns. */
  rollbackTo?: string;
}

/** Throws if the change is not allowed (422, 409). */
export async function proposeChange(
  { heldReaders, reserved }: ProposeDeps,
  store: ReadingStore,
  { before, changes, visible, paths = deploymentPaths, plan, rollbackTo }: ChangeWanted,
): Promise<ProposedChange> {
  refuseDeleted(before);
  const described = applyGiven(before, changes);
  // Changing only the description does not need the chart, which may be gone.
  if (!plan && isDeepStrictEqual({ ...described, description_md: before.description_md }, before)) {
    return { before, after: described, references: null, tasks: [] };
  }

  const options = { paths, visible, reserved, readers: heldReaders(store) };
  const { after, references, kind, chart } = await fitChanges(store, before, changes, options);
  const needed = plan ?? planUpdate(before, after);
  const open = needed.length === 0 ? [] : await store.tasks.open(before.id);
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  const planned = { before, after, kind: kind.name, reinstallDependents, rollbackTo };
  const tasks = await stillAdopting(store, after, plannedTasks(healPlan(needed, after, open), planned));
  return { before, after, references, tasks };
}

export interface CreationWanted {
  id: string;
  body: NewDeployment;
  context: Pick<HandlerContext<typeof deployments.operations.create>, 'identity' | 'permit'>;
}

/** Throws if the deployment is not allowed (403, 422, 409). */
export async function proposeCreation(
  { heldReaders, reserved }: ProposeDeps,
  store: ReadingStore,
  { id, body, context }: CreationWanted,
): Promise<ProposedChange & { kind: string }> {
  const { permit } = context;
  const options = { permit, visible: visibleEnvs(context.identity), reserved, readers: heldReaders(store) };
  const { place, references, kind, chart } = await fitCreation(store, body, options);
  const after = newRecord(id, body, place);
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  const planned = plannedTasks(planCreation, { before: null, after, kind: kind.name, reinstallDependents });
  const tasks = body.adopt ? planned.map(adopting) : planned;
  return { before: null, after, references: references.length > 0 ? references : null, tasks, kind: kind.name };
}

/** A deployment as its creation writes it. */
const newRecord = (id: string, { adopt: _adopt, ...body }: NewDeployment, place: Place): DeploymentRecord => ({
  ...body,
  ...place,
  id,
  created_at: new Date().toISOString(),
  enabled: true,
  status: 'Unknown',
  state: 'Unknown',
  deleting: false,
  description_md: null,
  reason: null,
  health: null,
  shown_reason: null,
  revision_id: null,
  reported_status: null,
  installed_cluster_id: null,
  installed_namespace: null,
});

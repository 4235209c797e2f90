import { z } from 'zod';
import { owner } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Json, Text } from '../../fields/fields.ts';
import { GrantScope } from '../clusters/cluster-role-grants.ts';
import { DeploymentChanges, mayChangeDeployment, NewDeployment } from '../deployments/deployments.ts';
import { operationNames } from './task-operation.ts';

/** What happens to a Kubernetes object. */
export const PlannedAction = z.enum(['create', 'change', 'replace', 'delete', 'keep', 'blocked']).meta({
  description:
    '`replace`: a field differs that no update can change, so that the update fails until the object is deleted. `keep`: Helm leaves it there. `blocked`: the task would fail at it',
});
export type PlannedAction = z.infer<typeof PlannedAction>;

export const PlannedField = z.strictObject({
  path: Text.meta({ description: 'A JSON pointer; an item of a list is named by its key: `/spec/ports/name=http`' }),
  /** Absent if the object lacks the field. */
  before: Json.optional(),
  after: Json.optional(),
  hidden: z.boolean().meta({ description: 'Its values are secret, or may be' }),
});
export type PlannedField = z.infer<typeof PlannedField>;

export const PlannedObject = z.strictObject({
  action: PlannedAction,
  cluster_id: Id,
  api_version: Text,
  kind: Text,
  namespace: Text.nullable(),
  name: Text,
  reason: Text.nullable(),
  /** The changed fields, for a change or replacement. */
  fields: z.array(PlannedField),
});
export type PlannedObject = z.infer<typeof PlannedObject>;

export const PlannedHook = z.strictObject({
  cluster_id: Id,
  api_version: Text,
  kind: Text,
  namespace: Text.nullable(),
  name: Text,
  events: z.array(Text),
});
export type PlannedHook = z.infer<typeof PlannedHook>;

/** A ClusterRole with which the deployment acts beyond its namespace, by a grant. */
export const PlannedClusterRole = z.strictObject({ cluster_id: Id, cluster_role: Text, scope: GrantScope });
export type PlannedClusterRole = z.infer<typeof PlannedClusterRole>;

const count = z.number().int().min(0);

/** A field of an object in the cluster that somebody besides Helm has given another value than the chart. */
export const ContestedField = z.strictObject({
  cluster_id: Id,
  api_version: Text,
  kind: Text,
  namespace: Text.nullable(),
  name: Text,
  path: PlannedField.shape.path,
  manager: Text.nullable().meta({
    description: 'Who owns it beside Helm, such as `kubectl (scale)`; null if an autoscaler has not written it yet',
  }),
  becomes: z.enum(['kept', 'taken_back']),
  /** Why it is kept. */
  reason: Text.nullable(),
  live: Json.optional(),
  chart: Json.optional(),
  hidden: z.boolean().meta({ description: 'Its values are secret, or may be' }),
});
export type ContestedField = z.infer<typeof ContestedField>;

/** Objects that the cluster was not asked about, so that a deploy may still be refused there. */
export const UntriedObjects = z.strictObject({
  cluster_id: Id,
  reason: Text,
  objects: count,
  examples: z.array(Text),
});
export type UntriedObjects = z.infer<typeof UntriedObjects>;

/** The started task of the deployment, which only awaits readiness. */
export const PlannedSuperseding = z.strictObject({
  task_id: Id,
  operation: z.enum(operationNames),
  when: z.enum(['always', 'requested']).meta({
    description:
      '`always`: the change disables the deployment. `requested`: with `?supersede=true`, by whoever may cancel the task',
  }),
});
export type PlannedSuperseding = z.infer<typeof PlannedSuperseding>;

/** How many entries were left out to keep the plan small. */
export const PlanCut = z.strictObject({ objects: count, fields: count, values: count, hooks: count });
export type PlanCut = z.infer<typeof PlanCut>;

export const DeploymentPlan = z.strictObject({
  etag: z.string().nullable().meta({
    description:
      'The `ETag` of the deployment that was compared: sent as `If-Match`, it has the change refused if the deployment has changed since',
  }),
  tasks: z.array(z.strictObject({ operation: z.enum(operationNames), cluster_id: Id })),
  supersedes: PlannedSuperseding.nullable().meta({
    description:
      'The running deploy that the change would end; null if the change would wait for what runs, or nothing runs',
  }),
  reinstalls: z.array(z.strictObject({ deployment_id: Id, namespace: z.string() })),
  objects: z.array(PlannedObject),
  hooks: z.array(PlannedHook),
  cluster_roles: z.array(PlannedClusterRole).meta({
    description: 'The ClusterRoles that are granted to the kind, with which the deployment acts beyond its namespace',
  }),
  contested: z.array(ContestedField).meta({
    description: 'Fields that others have changed, and what becomes of each',
  }),
  untried: z.array(UntriedObjects).meta({
    description: 'Of the other objects, the cluster has said whether it would take them',
  }),
  unchanged: count.meta({ description: 'Objects of the release that stay as they are' }),
  cut: PlanCut,
});
export type DeploymentPlan = z.infer<typeof DeploymentPlan>;

/** During this time, Helm renders against the cluster. */
const deadlineMs = 30_000;

export const deploymentPlans = resource('deployment_plans', {
  owner: 'tasks',
  singular: 'plan',
  operations: {
    of_update: operation({
      http: 'POST /deployments/:id/plan',
      summary: 'Plan a change of a deployment: what it would do, without making it',
      conflicts: 'the change itself would conflict',
      ...mayChangeDeployment,
      body: DeploymentChanges,
      response: DeploymentPlan,
      status: 200,
      deadlineMs,
    }),
    of_creation: operation({
      http: 'POST /deployments/plan',
      summary: 'Plan the creation of a deployment: what it would do, without making it',
      conflicts: 'the creation itself would conflict',
      allow: owner,
      body: NewDeployment,
      response: DeploymentPlan,
      status: 200,
      deadlineMs,
    }),
  },
});

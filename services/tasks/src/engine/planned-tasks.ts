import type { NewTask } from '../records/new-task.ts';
import type { DeployRun } from '../records/task-run.ts';
import { configDelta } from './config-delta.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { PlannedOperation } from './plan-update.ts';

export interface Planned {
  /** Null where the deployment is new. */
  before: DeploymentRecord | null;
  after: DeploymentRecord;
  /** The name of its kind. */
  kind: string;
  /** Whether the chart wants those that refer to the deployment to follow its changes. */
  reinstallDependents: boolean;
}

/** The tasks of a plan, each with what it needs to run when its turn comes. */
export const plannedTasks = (plan: readonly PlannedOperation[], planned: Planned): NewTask[] =>
  plan.map((operation) => makers[operation](planned));

const makers = {
  Install: ({ after, kind, reinstallDependents }) => ({
    ...of(after),
    operation: { Install: whatRuns(after) },
    run: deployRun(after, kind),
    reinstall_dependents: reinstallDependents,
  }),

  Upgrade: ({ before, after, kind, reinstallDependents }) => ({
    ...of(after),
    operation: {
      Upgrade: {
        ...whatRuns(after),
        prev_helm_chart_id: before?.helm_chart_id ?? null,
        config_delta: before && configDelta(before.config, after.config),
      },
    },
    run: deployRun(after, kind),
    reinstall_dependents: reinstallDependents,
  }),

  // It runs where the release is when it starts, which is what `installed` will say then.
  Uninstall: ({ after }) => ({
    ...of(after),
    cluster_id: after.installed_cluster_id ?? after.cluster_id,
    operation: { Uninstall: {} },
  }),

  Recreate: ({ before, after }) => {
    const from = placeOf(before ?? after);
    return {
      ...of(after),
      operation: {
        Recreate: {
          old_cluster_id: from.cluster_id,
          old_namespace: from.namespace,
          new_cluster_id: after.cluster_id,
          new_namespace: after.namespace,
        },
      },
      also_cluster_id: from.cluster_id === after.cluster_id ? null : from.cluster_id,
      undo:
        before && (before.name !== after.name || before.cluster_id !== after.cluster_id)
          ? {
              name: before.name,
              cluster_id: before.cluster_id,
              env_id: before.env_id,
              namespace: before.namespace,
            }
          : null,
    };
  },
} as const satisfies Record<PlannedOperation, (planned: Planned) => NewTask>;

const of = ({ id, cluster_id, env_id }: DeploymentRecord) => ({ deployment_id: id, cluster_id, env_id });

const whatRuns = ({ helm_chart_id, config, values_override }: DeploymentRecord) => ({
  helm_chart_id,
  config_inputs: config,
  values_override,
});

export const deployRun = (deployment: DeploymentRecord, kind: string): DeployRun => ({
  action: 'deploy',
  cluster_id: deployment.cluster_id,
  namespace: deployment.namespace,
  deployment_name: deployment.name,
  kind,
  helm_chart_id: deployment.helm_chart_id,
  config: deployment.config,
  values_override: deployment.values_override,
});

/** Where its release is, or would be if it was installed. */
export const placeOf = (deployment: DeploymentRecord): { cluster_id: string; namespace: string } => ({
  cluster_id: deployment.installed_cluster_id ?? deployment.cluster_id,
  namespace: deployment.installed_namespace ?? deployment.namespace,
});

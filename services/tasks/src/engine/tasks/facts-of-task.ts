import type { Fact, FactKind } from '@berth/contracts/resources/deployments/why';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { variantOf } from '../../records/variant.ts';

/** A task as far as its facts depend on it. */
export interface ExplainedTask
  extends Pick<DeploymentTask, 'id' | 'status' | 'operation' | 'reason' | 'started_at' | 'finished_at'> {
  awaits_readiness: boolean;
  cancel_requested_at: string | null;
  cancel_reason: string | null;
}

/** The facts that status and reason of a task are made of. `waits`: what it waits for while it is pending. */
export function factsOfTask(task: ExplainedTask, waits: readonly Fact[]): Fact[] {
  const { status, started_at, finished_at, reason, cancel_requested_at, cancel_reason } = task;
  const variant = variantOf(task.operation);
  const fact = (kind: FactKind, since: string | null, message: string): Fact => ({
    kind,
    object: { kind: 'deployment_task', id: task.id, name: variant },
    since,
    until: null,
    message,
  });
  if (status === 'Pending') return [...waits];
  if (status === 'Done') return [fact('task_done', finished_at, `${variant} is done`)];
  if (status === 'Failed') return [fact('task_failed', finished_at, reason ?? `${variant} failed`)];
  if (status === 'Canceled') return [fact('task_canceled', finished_at, reason ?? `${variant} was canceled`)];

  const runs = task.awaits_readiness
    ? fact('awaits_readiness', started_at, reason ?? `${variant} waits for what it installed to be ready`)
    : fact('task_runs', started_at, reason ?? `${variant} is under way`);
  if (cancel_requested_at === null) return [runs];
  return [fact('cancellation', cancel_requested_at, cancel_reason ?? `${variant} is to stop`), runs];
}

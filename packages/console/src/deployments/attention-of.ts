import type { Row } from '../api/reads.ts';
import type { Tone } from '../ui/state.tsx';
import type { DeploymentRow } from './facts/deployment-row.ts';

type Task = Row<'deploymentTasks'>;
type Health = NonNullable<DeploymentRow['health']>;

export interface AttentionNeeded {
  tone: Extract<Tone, 'bad' | 'warn' | 'busy'>;
  words: string;
  causes: Health['causes'];
  since: string | undefined;
  /** The task after which it began. */
  task: Task | undefined;
  /** The run to roll back to. */
  rollBackTo: Task | undefined;
}

const deploys = ({ operation }: Task): boolean => 'Install' in operation || 'Upgrade' in operation;

/** What is wrong with a deployment, the most important first; null if nothing is. */
export function attentionOf(deployment: DeploymentRow, tasks: readonly Task[]): AttentionNeeded | null {
  const { health, status, reason, enabled } = deployment;
  const ended = tasks.filter(({ finished_at }) => finished_at !== null);
  const last = ended.find(deploys) ?? ended[0];
  const done = ended.filter((task) => deploys(task) && task.status === 'Done');
  // After a failure, the last successful run; otherwise the one before what runs now.
  const rollBackTo = status === 'Error' ? done[0] : done.find(({ id }) => id !== deployment.revision_id);
  const common = { causes: health?.causes ?? [], task: last };

  if (status === 'Error') {
    const failed = ended.find((task) => task.status === 'Failed' || task.status === 'Canceled') ?? last;
    return {
      ...common,
      tone: 'bad',
      task: failed,
      words: sentence(reason ?? 'The last task failed'),
      since: failed?.finished_at ?? undefined,
      rollBackTo,
    };
  }
  if (health?.state === 'Degraded') {
    return { ...common, tone: 'bad', words: sentence(reasonOf(health, reason)), since: health.since, rollBackTo };
  }
  if (health?.state === 'Unknown' && enabled) {
    return {
      ...common,
      tone: 'warn',
      words: sentence(reasonOf(health, reason)),
      since: health.since,
      task: undefined,
      rollBackTo: undefined,
    };
  }
  // Otherwise the reason says what is in progress.
  if (reason !== null && reason !== '') {
    return {
      ...common,
      tone: 'busy',
      words: sentence(reason),
      since: undefined,
      task: undefined,
      rollBackTo: undefined,
    };
  }
  return null;
}

const reasonOf = (health: Health, reason: string | null): string =>
  health.reason ?? reason ?? `The workload is ${health.state.toLowerCase()}`;

const sentence = (words: string): string => (/[.!?…]$/.test(words) ? words : `${words}.`);

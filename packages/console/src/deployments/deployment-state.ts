import type { Deployment } from '@berth/client';
import type { StateWord } from '../ui/state.tsx';

type Facts = Pick<Deployment, 'enabled' | 'status' | 'health'>;

/** What is under way, by the status that says so. */
const working: Partial<Record<Deployment['status'], string>> = {
  Installing: 'Installing',
  Upgrading: 'Upgrading',
  Renaming: 'Moving',
  Uninstalling: 'Uninstalling',
  Deleting: 'Deleting',
};

const healthWords: Record<NonNullable<Deployment['health']>['state'], StateWord> = {
  Healthy: { tone: 'ok', word: 'Healthy' },
  Progressing: { tone: 'busy', word: 'Progressing' },
  Degraded: { tone: 'bad', word: 'Degraded' },
  Suspended: { tone: 'off', word: 'Suspended' },
  Unknown: { tone: 'warn', word: 'Unknown' },
};

/** The one word for a deployment: what a person has to know first of the task and of the workload. */
export function deploymentState({ enabled, status, health }: Facts): StateWord {
  if (status === 'Error') return { tone: 'bad', word: 'Failed' };
  const under = working[status];
  if (under !== undefined) return { tone: 'busy', word: under };
  if (!enabled || status === 'Uninstalled') return { tone: 'off', word: 'Disabled' };
  if (health !== null) return healthWords[health.state];
  return status === 'Running' ? { tone: 'off', word: 'Running' } : { tone: 'warn', word: 'Unknown' };
}

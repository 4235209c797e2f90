import type { Deployment } from '@berth/client';
import type { ListQuery } from '../../api/reads.ts';
import type { StateWord } from '../../ui/state.tsx';

type Facts = Pick<Deployment, 'enabled' | 'status' | 'health'>;

/** The statuses in which something is in progress, and its word. */
const working: Partial<Record<Deployment['status'], string>> = {
  Installing: 'Installing',
  Upgrading: 'Upgrading',
  Renaming: 'Moving',
  Uninstalling: 'Uninstalling',
  Deleting: 'Deleting',
};

const ofHealth: Record<NonNullable<Deployment['health']>['state'], StateWord> = {
  Healthy: { tone: 'ok', word: 'Healthy' },
  Progressing: { tone: 'busy', word: 'Progressing' },
  Degraded: { tone: 'bad', word: 'Degraded' },
  Suspended: { tone: 'off', word: 'Suspended' },
  Unknown: { tone: 'warn', word: 'Unknown' },
};

/** The one word for a deployment: the state of its task or of its workload, whichever matters more to people. */
export function deploymentState({ enabled, status, health }: Facts): StateWord {
  if (status === 'Error') return { tone: 'bad', word: 'Failed' };
  const underWay = working[status];
  if (underWay !== undefined) return { tone: 'busy', word: underWay };
  if (!enabled || status === 'Uninstalled') return { tone: 'off', word: 'Disabled' };
  if (health !== null) return ofHealth[health.state];
  return status === 'Running' ? { tone: 'off', word: 'Running' } : { tone: 'warn', word: 'Unknown' };
}

interface StateFilter {
  id: string;
  words: string;
  query: Pick<ListQuery<'deployments'>, 'status' | 'health' | 'enabled'>;
}

/** The same words as filters, as far as the server distinguishes them. */
export const stateFilters: StateFilter[] = [
  { id: 'healthy', words: 'Healthy', query: { health: 'Healthy' } },
  { id: 'progressing', words: 'Progressing', query: { health: 'Progressing' } },
  { id: 'degraded', words: 'Degraded', query: { health: 'Degraded' } },
  { id: 'suspended', words: 'Suspended', query: { health: 'Suspended' } },
  { id: 'unknown', words: 'Unknown', query: { health: 'Unknown' } },
  { id: 'failed', words: 'Failed', query: { status: 'Error' } },
  { id: 'installing', words: 'Installing', query: { status: 'Installing' } },
  { id: 'upgrading', words: 'Upgrading', query: { status: 'Upgrading' } },
  { id: 'disabled', words: 'Disabled', query: { enabled: false } },
];

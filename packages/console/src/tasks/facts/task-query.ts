import type { ListQuery } from '../../api/reads.ts';

type TaskQuery = ListQuery<'deploymentTasks'>;

interface View {
  id: string;
  words: string;
  query: TaskQuery;
  /** What an empty list says. */
  none: string;
}

/** The views of the list, as far as the server distinguishes them. The first is the default. */
export const taskViews: readonly [View, ...View[]] = [
  {
    id: 'open',
    words: 'Open',
    query: { active_only: true, sort: 'execute_at' },
    none: 'Nothing runs, waits or is scheduled',
  },
  { id: 'running', words: 'Running', query: { status: 'Started', sort: '-started_at' }, none: 'Nothing runs' },
  {
    id: 'waiting',
    words: 'Waiting',
    query: { status: 'Pending', show_future: false, sort: 'execute_at' },
    none: 'Nothing waits',
  },
  {
    id: 'scheduled',
    words: 'Waiting or scheduled',
    query: { status: 'Pending', sort: 'execute_at' },
    none: 'Nothing is scheduled',
  },
  { id: 'failed', words: 'Failed', query: { status: 'Failed', sort: '-finished_at' }, none: 'No task has failed' },
  {
    id: 'canceled',
    words: 'Canceled',
    query: { status: 'Canceled', sort: '-finished_at' },
    none: 'No task was canceled',
  },
  { id: 'done', words: 'Done', query: { status: 'Done', sort: '-finished_at' }, none: 'No task is done' },
  { id: 'all', words: 'All', query: { sort: '-created_at' }, none: 'There are no tasks yet' },
];

export const viewOf = (given: string | undefined): View => taskViews.find(({ id }) => id === given) ?? taskViews[0];

/** The query for an address. */
export function taskQueryOf(address: Record<string, string | undefined>, me: string): TaskQuery {
  const { env, cluster } = address;
  return {
    ...viewOf(address['show']).query,
    ...(env && { env_id: env }),
    ...(cluster && { cluster_id: cluster }),
    ...(address['mine'] === 'true' && { acting_user_id: me }),
  };
}

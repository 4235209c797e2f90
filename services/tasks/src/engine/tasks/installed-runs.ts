import type { TaskRecord } from '../../records/task-record.ts';
import type { Effect } from '../../records/variant.ts';
import type { Ending } from './after-end.ts';
import { operationOf } from '../operations/index.ts';

export const beginsRun = ({ operation }: Pick<TaskRecord, 'operation'>): boolean =>
  operationOf(operation).effect === 'installs';

type Left = 'all' | 'only its own' | 'only the revision' | 'all but its own' | 'none';

/** `untouched`: the task failed or was canceled before Helm began in any claim. `touched`: after Helm had begun. */
const leftAfter = {
  installs: { done: 'only its own', untouched: 'all but its own', touched: 'all' },
  repeats: { done: 'only the revision', untouched: 'all', touched: 'all' },
  moves: { done: 'none', untouched: 'all', touched: 'all' },
  removes: { done: 'none', untouched: 'all', touched: 'all' },
  keeps: { done: 'all', untouched: 'all', touched: 'all' },
} as const satisfies Record<Effect, Record<'done' | 'untouched' | 'touched', Left>>;

/** The runs that stay: all, all but one, or `only` one (none if that is null). */
export type RunsLeft = 'all' | { without: string } | { only: string | null };

/** The runs that a task leaves when it ends. `revision_id`: the deployment's before the end. */
export function runsLeft(
  { id, operation, helm_fence }: Pick<TaskRecord, 'id' | 'operation' | 'helm_fence'>,
  outcome: Ending['outcome'],
  revision_id: string | null,
): RunsLeft {
  const end = outcome === 'Done' ? 'done' : helm_fence > 0 ? 'touched' : 'untouched';
  const runsOf = {
    all: 'all',
    'only its own': { only: id },
    'only the revision': { only: revision_id },
    'all but its own': { without: id },
    none: { only: null },
  } as const satisfies Record<Left, RunsLeft>;
  return runsOf[leftAfter[operationOf(operation).effect][end]];
}

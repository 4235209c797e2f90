import type { Requester } from './requester.ts';
import type { TaskInputs } from './secret-record.ts';
import type { TaskRecord } from './task-record.ts';

type Needed = 'deployment_id' | 'cluster_id' | 'env_id' | 'operation';
type Optional =
  | 'id'
  | 'run'
  | 'hidden_inputs'
  | 'change'
  | 'undo'
  | 'also_cluster_id'
  | 'reinstall_dependents'
  | 'deletes_deployment'
  | 'skips_hooks';

/** A task to be queued; absent fields are null or false. */
export type NewTask = Pick<TaskRecord, Needed> &
  Partial<Pick<TaskRecord, Optional>> & {
    /** When it is due; by default now. */
    execute_at?: string | undefined;
    /** The values of `hidden_inputs`, bound to its `id`. */
    inputs?: TaskInputs;
  };

/** The user or deployment that requested it, and the id of the request. */
export interface Origin {
  acting_user_id: string | null;
  acting_deployment_id: string | null;
  /** The requester, which may be a bot; null for tasks of the platform itself. */
  requester: Requester | null;
  request_id: string | null;
}

import type { SyncStatus } from '@berth/contracts/resources/deployments/deployment-resources';

/** The stored state of the synchronization of a resource with its managing deployment. */
export interface Sync {
  sync_status: SyncStatus;
  /** False after deletion, which is final. */
  exists: boolean;
  /** Whether the managing deployment knows the resource. `maybe`: a call was sent and its outcome is not known. */
  known: 'no' | 'maybe' | 'yes';
  /** `outdated`: the call in flight carries old props. */
  call: 'none' | 'current' | 'outdated';
}

export type LifecycleOperation = 'create' | 'update' | 'delete';

/** The operations for which the chart names a call; the others complete without one. */
export type Callable = Readonly<Record<LifecycleOperation, boolean>>;

const operationOf: Partial<Record<SyncStatus, LifecycleOperation>> = {
  Creating: 'create',
  Updating: 'update',
  Deleting: 'delete',
};

/** The operation to call; null if no call is needed. */
export const pendingOperation = ({ exists, sync_status }: Pick<Sync, 'exists' | 'sync_status'>) =>
  (exists && operationOf[sync_status]) || null;

const done = (sync: Sync): Sync =>
  sync.sync_status === 'Deleting'
    ? { ...sync, sync_status: 'Ready', exists: false, call: 'none' }
    : { ...sync, sync_status: 'Ready', known: 'yes', call: 'none' };

const gone = (sync: Sync): Sync => done({ ...sync, sync_status: 'Deleting' });

/** Completes at once if there is no call to make and none in flight. */
function withCall(sync: Sync, callable: Callable): Sync {
  const operation = pendingOperation(sync);
  return operation !== null && sync.call === 'none' && !callable[operation] ? done(sync) : sync;
}

/** The initial state. `status` comes from the managing deployment, else `Creating`. */
export const newSync = (status: SyncStatus, callable: Callable): Sync =>
  withCall({ sync_status: status, exists: true, known: status === 'Creating' ? 'no' : 'yes', call: 'none' }, callable);

type Transition = (before: Sync, callable: Callable) => Sync | null;

const overtaken = ({ call }: Sync): Sync['call'] => (call === 'none' ? 'none' : 'outdated');
const isPending = (sync: Sync): boolean => pendingOperation(sync) !== null;

/**
 * The state after each event of an existing resource; null if the event cannot happen. `requested`: by any permitted caller.
 * `announced`: the managing deployment reports a state that already holds, so no call is needed.
 */
const transitions = {
  'update requested': (before, callable) => {
    if (before.sync_status === 'Deleting') return null;
    const sync_status = before.known === 'yes' ? 'Updating' : 'Creating';
    return withCall({ ...before, sync_status, call: overtaken(before) }, callable);
  },
  'deletion requested': (before, callable) => {
    if (before.sync_status === 'Deleting') return before;
    if (before.known === 'no') return gone(before);
    return withCall({ ...before, sync_status: 'Deleting', call: overtaken(before) }, callable);
  },
  'update announced': (before) => {
    if (before.sync_status === 'Deleting') return null;
    // May come from within the call in flight, which continues.
    return isPending(before) ? before : done(before);
  },
  'deletion announced': gone,
  'call starts': (before) => {
    if (!isPending(before)) return null;
    return { ...before, known: before.known === 'no' ? 'maybe' : before.known, call: 'current' };
  },
  'call succeeds': (before, callable) => {
    if (before.call === 'none') return null;
    if (before.call === 'current') return done(before);
    const sync_status = before.sync_status === 'Creating' ? 'Updating' : before.sync_status;
    return withCall({ ...before, sync_status, known: 'yes', call: 'none' }, callable);
  },
  'call fails for now': (before) => (before.call === 'none' ? null : { ...before, call: 'none' }),
  'call fails for good': (before) => {
    if (before.call === 'none') return null;
    return { ...before, sync_status: before.call === 'current' ? 'Error' : before.sync_status, call: 'none' };
  },
  'manager deleted': (before) => {
    if (before.sync_status === 'Deleting') return gone(before);
    return { ...before, sync_status: isPending(before) ? 'Error' : before.sync_status, call: 'none' };
  },
} as const satisfies Record<string, Transition>;
export type SyncEvent = keyof typeof transitions;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys is typed as string[]
export const syncEvents = Object.keys(transitions) as SyncEvent[];

/** The resource after the event; null if the event cannot happen, and a request for it is refused. */
export const afterEvent = (before: Sync, event: SyncEvent, callable: Callable): Sync | null =>
  before.exists ? transitions[event](before, callable) : null;

/** Whether deployments that refer to the resource are reinstalled with the new state. */
export const isForDependents = (event: SyncEvent, after: Sync): boolean =>
  event !== 'manager deleted' && after.exists && after.sync_status === 'Ready';

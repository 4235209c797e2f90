import type { Living, Model, Queued } from '../deployment-model/model.ts';
import type { Process } from './process.ts';
import { type Steps, wait } from './scheduler.ts';
import type { World } from './world.ts';

/** The columns of a task that the deployment's model lacks. */
interface TaskRow {
  deploymentId: string;
  order: number;
  execute_at: number;
  due_at: number;
  fence: number;
  helm_fence: number;
  awaits_readiness: boolean;
  acknowledged_fence: number | null;
  lease_until: number | null;
  cancel_requested_at: string | null;
  attempts: number;
  waited_ms: number;
  forbidden_ms: number;
  handed_back: number;
}

/** The lock modes of Postgres, each with the modes that conflict with it. */
type Mode = 'key share' | 'share' | 'no key update' | 'update';

const conflicts: Record<Mode, readonly Mode[]> = {
  'key share': ['update'],
  share: ['no key update', 'update'],
  'no key update': ['share', 'no key update', 'update'],
  update: ['key share', 'share', 'no key update', 'update'],
};
interface LockKey {
  key: string;
  mode?: Mode;
}

interface Waiter extends Required<LockKey> {
  tx: object;
  granted: () => void;
}

/** A transaction: it sees committed rows and its own writes, and holds its locks until it ends. */
export interface Transaction {
  lock(wanted: LockKey): Steps;
  /** False if another transaction holds it. */
  tryLock(wanted: LockKey): boolean;
  read(deploymentId: string): Model;
  save(deploymentId: string, model: Model): void;
  task(id: string): TaskRow;
  saveTask(id: string, changes: Partial<TaskRow>): void;
}

interface Committed {
  models: ReadonlyMap<string, Model>;
  tasks: ReadonlyMap<string, TaskRow>;
}

export interface Database {
  readonly committed: Committed;
  read(deploymentId: string): Model;
  /** Null if no answer arrived, although the work may have been committed. Errors of the work are thrown again. */
  inTransaction<T>(process: Process, work: (tx: Transaction) => Steps<T>): Steps<{ value: T } | null>;
  insert(deploymentId: string, model: Living): void;
  /** A scheduled task is inserted for this time. */
  scheduleAt: number | null;
  /** Called before a commit with the rows that it replaces. */
  onCommit(listener: (next: Committed) => void): void;
}

export function createDatabase(world: World): Database {
  const { scheduler } = world;
  const models = new Map<string, Model>();
  const tasks = new Map<string, TaskRow>();
  const holders = new Map<string, Map<object, Mode>>();
  let waiters: Waiter[] = [];
  const listeners: ((next: Committed) => void)[] = [];
  const open = new Map<Process, Set<object>>();
  let orders = 0;

  function isFree({ key, mode, tx }: Omit<Waiter, 'granted'>): boolean {
    const held = holders.get(key);
    if (!held) return true;
    for (const [holder, other] of held) if (holder !== tx && conflicts[mode].includes(other)) return false;
    return true;
  }

  function hold({ key, mode, tx }: Omit<Waiter, 'granted'>): void {
    const held = holders.get(key) ?? new Map<object, Mode>();
    const own = held.get(tx);
    if (own === undefined || conflicts[mode].length > conflicts[own].length) held.set(tx, mode);
    holders.set(key, held);
  }

  /** Whether the transaction would wait for itself. */
  function isDeadlock(waiter: Waiter): boolean {
    const blocked = new Set<object>();
    const reach = ({ key, mode, tx }: Waiter): boolean =>
      [...(holders.get(key) ?? [])].some(([holder, held]) => {
        if (holder === tx || !conflicts[mode].includes(held) || blocked.has(holder)) return false;
        if (holder === waiter.tx) return true;
        blocked.add(holder);
        return waiters.some((other) => other.tx === holder && reach(other));
      });
    return reach(waiter);
  }

  function release(tx: object): void {
    for (const held of holders.values()) held.delete(tx);
    if (waiters.length === 0) return;
    waiters = waiters.filter((waiter) => waiter.tx !== tx);
    for (const waiter of waiters.slice()) {
      if (!waiters.includes(waiter) || !isFree(waiter)) continue;
      waiters = waiters.filter((other) => other !== waiter);
      hold(waiter);
      world.scheduler.after(0, waiter.granted);
    }
  }

  const assembled = (model: Model, rowOf: (id: string) => TaskRow | undefined): Model => ({
    ...model,
    queue: model.queue.map((task): Queued => {
      const row = rowOf(task.id);
      const { helm_fence, cancel_requested_at, awaits_readiness } = row ?? task;
      return { ...task, helm_fence, cancel_requested_at, awaits_readiness };
    }),
  });

  function newRow(deploymentId: string, execute_at: number): TaskRow {
    orders += 1;
    return {
      deploymentId,
      order: orders,
      execute_at,
      due_at: execute_at,
      fence: 0,
      helm_fence: 0,
      awaits_readiness: false,
      acknowledged_fence: null,
      lease_until: null,
      cancel_requested_at: null,
      attempts: 0,
      waited_ms: 0,
      forbidden_ms: 0,
      handed_back: 0,
    };
  }

  const found = (rows: ReadonlyMap<string, TaskRow>, id: string): TaskRow => {
    const row = rows.get(id);
    if (!row) throw new Error(`no task ${id}`);
    return row;
  };

  const modelOf = (id: string): Model => {
    const model = models.get(id);
    if (!model) throw new Error(`no deployment ${id}`);
    return model;
  };

  /** The transactions of a process. If its connection is dropped, the transaction ends a moment later. */
  function openOf(process: Process): Set<object> {
    const known = open.get(process);
    if (known) return known;
    const fresh = new Set<object>();
    open.set(process, fresh);
    process.onKilled(() => {
      for (const tx of fresh) world.scheduler.after(world.between(0, 1_000), () => release(tx));
    });
    return fresh;
  }

  const database: Database = {
    scheduleAt: null,
    committed: { models, tasks },
    read: (id) => assembled(modelOf(id), (task) => tasks.get(task)),
    onCommit: (listener) => void listeners.push(listener),
    insert: (id, model) => {
      models.set(id, model);
      for (const task of model.queue) tasks.set(task.id, newRow(id, world.scheduler.now()));
    },

    *inTransaction(process, work) {
      const changedModels = new Map<string, Model>();
      const changedTasks = new Map<string, TaskRow>();
      const tx: Transaction = {
        *lock({ key, mode = 'update' }) {
          if (isFree({ key, mode, tx })) hold({ key, mode, tx });
          else {
            const waiter = { key, mode, tx, granted: () => undefined };
            if (isDeadlock(waiter)) world.fail(`transactions wait for each other at ${key}`);
            yield* wait<void>((granted) => waiters.push({ ...waiter, granted }));
          }
          if (world.chance(0.25)) yield* scheduler.sleep(world.between(0, 60));
        },
        tryLock({ key, mode = 'update' }) {
          if (!isFree({ key, mode, tx })) return false;
          hold({ key, mode, tx });
          return true;
        },
        read: (id) =>
          assembled(changedModels.get(id) ?? modelOf(id), (task) => changedTasks.get(task) ?? tasks.get(task)),
        save: (id, model) => {
          for (const task of model.queue) {
            if (tasks.has(task.id) || changedTasks.has(task.id)) continue;
            const at = task.change === null ? null : database.scheduleAt;
            changedTasks.set(task.id, newRow(id, at ?? world.scheduler.now()));
          }
          const row = (task: Queued) => changedTasks.get(task.id) ?? found(tasks, task.id);
          const queue = model.queue.toSorted(
            (a, b) => row(a).execute_at - row(b).execute_at || row(a).order - row(b).order,
          );
          changedModels.set(id, { ...model, queue });
        },
        task: (id) => changedTasks.get(id) ?? found(tasks, id),
        saveTask: (id, changes) => void changedTasks.set(id, { ...tx.task(id), ...changes }),
      };

      openOf(process).add(tx);
      try {
        const value = yield* work(tx);
        yield* world.pause();
        if (world.chance(world.faults.commitFails)) {
          world.count('commits that failed');
          return null;
        }
        for (const listener of listeners) listener({ models: changedModels, tasks: changedTasks });
        for (const [id, model] of changedModels) models.set(id, model);
        for (const [id, row] of changedTasks) tasks.set(id, row);
        if (world.chance(world.faults.commitAnswerLost)) {
          world.count('commits whose answer was lost');
          return null;
        }
        return { value };
      } finally {
        openOf(process).delete(tx);
        release(tx);
      }
    },
  };
  return database;
}

import { afterwards, begin, claim } from '../deployment-model/claims.ts';
import { cancel, reinstall } from '../deployment-model/requests.ts';
import { isLiving, type Living, type Model, type Queued, startedTask } from '../deployment-model/model.ts';
import { earlierTasks } from '../support/earlier-tasks.ts';
import { operations } from '../../src/engine/operations/index.ts';
import { type EndedClaim, helmAtEnd } from '../../src/engine/tasks/after-claim.ts';
import { variantOf } from '../../src/records/variant.ts';
import type { TaskRun } from '../../src/records/task-run.ts';
import type { Database, Transaction } from './database.ts';
import type { Candidate, Deciders, Lock } from './deciders.ts';
import { createProcess, type Process } from './process.ts';
import type { Steps } from './scheduler.ts';
import type { World } from './world.ts';

export const leaseMs = 30_000;
/** Few, so that tasks wait for one another. */
const slotsInAll = 2;
const sweepMs = 1_000;

export interface ClaimedRun {
  task_id: string;
  fence: number;
  deployment_id: string;
  run: TaskRun;
  is_first: boolean;
}

/** `conflict`: the claim is lost. `unavailable`: the result is unknown. */
type Refusal = 'conflict' | 'unavailable';
export type Answer<T> = { ok: T } | { refused: Refusal };

interface Report {
  task_id: string;
  fence: number;
  outcome: EndedClaim['outcome'];
}

export interface Requested {
  deploymentId: string;
  /** The new model; null if the request is refused. */
  change: (model: Living) => Model | null;
  executeAt: number | null;
  /** Another deployment to which it refers, and whether its cluster is looked up. */
  refersTo: string | null;
  holdsCluster: boolean;
  cancels: string | null;
}

export interface Service {
  claim(process: Process): Steps<Answer<ClaimedRun | null>>;
  heartbeat(
    process: Process,
    claim: { task_id: string; fence: number; begins: boolean; awaits: boolean },
  ): Steps<Answer<{ cancel_requested: boolean }>>;
  finish(process: Process, report: Report): Steps<Answer<null>>;
  request(process: Process, requested: Requested): Steps<Answer<readonly string[]>>;
  /** Moves the cluster to another env, with its deployments. */
  moveCluster(process: Process): Steps<unknown>;
  /** A running replica; null while there is none. */
  replica(): Process | null;
  /** The time at which the next task at the head of a queue becomes due. */
  nextDue(): number;
  setClusterKnownUp(isUp: boolean): void;
  startReplicas(): void;
}

class Conflict extends Error {}

/** Two of them share the deployments. */
const requesterOf = (deploymentId: string): string =>
  deploymentId.charCodeAt(deploymentId.length - 1) % 2 ? 'odd' : 'even';

export function createService(
  world: World,
  database: Database,
  deciders: Deciders,
  dependents: ReadonlyMap<string, string>,
): Service {
  const { scheduler } = world;
  const policy = { maxAttempts: 3, leaseMs, spread: () => world.between(0, 1) };
  let clusterIsUp = true;
  const replicas: (Process | null)[] = [null, null];

  const startedIn = (model: Model, id: string): Queued | undefined =>
    model.queue.find((task) => task.id === id && task.status === 'Started');

  function* lockAll(tx: Transaction, plan: readonly Lock[], ids: { taskId: string; deploymentId: string }): Steps {
    for (const what of plan) {
      if (what === 'cluster') yield* tx.lock({ key: 'cluster', mode: 'share' });
      if (what === 'task') yield* tx.lock({ key: `task ${ids.taskId}` });
      if (what === 'deployment') yield* tx.lock({ key: `deployment ${ids.deploymentId}` });
      const dependent = what === 'held with dependents' ? dependents.get(ids.deploymentId) : undefined;
      const held = what.startsWith('held') ? [ids.deploymentId, ...(dependent === undefined ? [] : [dependent])] : [];
      for (const id of held.toSorted()) yield* tx.lock({ key: `deployment ${id}`, mode: 'no key update' });
    }
  }

  /** Started tasks that work, and do not only await readiness. */
  function workingTasks(): { requester: string }[] {
    return startedRows()
      .filter(({ awaits_readiness }) => !awaits_readiness)
      .map(({ deploymentId }) => ({ requester: requesterOf(deploymentId) }));
  }

  const startedRows = () => started().flatMap(({ id }) => database.committed.tasks.get(id) ?? []);

  function isFull(working: number): boolean {
    if (startedRows().filter((row) => deciders.takesSlot(row)).length < slotsInAll) return false;
    if (working < slotsInAll) world.fail('I5: tasks that only wait take the slots of others');
    world.count('claims that found no free slot');
    return true;
  }

  /** The first task without an obstacle whose deployment is not locked. */
  function* take(tx: Transaction): Steps<{ task: Queued; model: Living } | null> {
    const now = scheduler.now();
    const working = workingTasks();
    const held = (id: string) => working.filter(({ requester }) => requester === requesterOf(id)).length;
    const candidates: (Candidate & { task: Queued; model: Living })[] = [];
    if (clusterIsUp) {
      for (const [id, model] of database.committed.models) {
        if (!isLiving(model)) continue;
        for (const task of model.queue) {
          const row = database.committed.tasks.get(task.id);
          if (task.status !== 'Pending' || !row || row.due_at > now || earlierTasks(task, model.queue).length > 0)
            continue;
          const read = database.read(id);
          if (isLiving(read)) candidates.push({ task, model: read, held: held(id), due: row.due_at, order: row.order });
        }
      }
    }
    if (candidates.length > 0 && isFull(working.length)) return null;
    candidates.sort(deciders.startsFirst);
    const fewest = Math.min(...candidates.map((one) => one.held));
    for (const [at, { task, model, held: holds }] of candidates.entries()) {
      if (at === 0 && holds > fewest) world.fail('I5: a requester that holds more slots than another goes first');
      if (!tx.tryLock({ key: `deployment ${model.deployment.id}` })) continue;
      yield* tx.lock({ key: `task ${task.id}` });
      return { task, model };
    }
    return null;
  }

  function* start(tx: Transaction): Steps<ClaimedRun | 'nothing' | 'ended'> {
    yield* tx.lock({ key: 'turn' });
    const taken = yield* take(tx);
    if (!taken) return 'nothing';
    const { task, model } = taken;
    const { id } = model.deployment;
    const is_first = model.deployment.installed_cluster_id === null;
    const fence = tx.task(task.id).fence + 1 + Math.floor(world.between(0, 1_000));
    tx.saveTask(task.id, { fence, lease_until: scheduler.now() + leaseMs, awaits_readiness: false });
    yield* world.pause();
    const after = claim(model, task);
    if (!after) throw new Error('a task was taken that could not be claimed');
    tx.save(id, after);
    const started = startedTask(after);
    if (!started?.run) {
      tx.saveTask(task.id, { lease_until: null });
      return 'ended';
    }
    return { task_id: task.id, fence, deployment_id: id, run: started.run, is_first };
  }

  function endClaim(tx: Transaction, { task_id, fence, outcome }: Report): void {
    const row = tx.task(task_id);
    const model = tx.read(row.deploymentId);
    const task = startedIn(model, task_id);
    if (!isLiving(model) || !task) throw new Conflict();
    const { isRepeatable } = operations[variantOf(task.operation)];
    const helm = helmAtEnd({ began: row.helm_fence === fence, awaits: row.awaits_readiness, saysEnded: false });
    const isCanceled = row.cancel_requested_at !== null;
    const next = deciders.afterClaim({ ...row, outcome, helm, isCanceled, isRepeatable }, policy);
    tx.save(row.deploymentId, afterwards(model, task, next));
    if (row.awaits_readiness && outcome === 'Silent' && 'ends' in next && !isCanceled && row.waited_ms === 0) {
      world.fail('I5: a wait ends with its runner');
    }
    const acknowledged_fence = outcome === 'Silent' ? null : fence;
    tx.saveTask(task_id, { lease_until: null, acknowledged_fence });
    if (!('ends' in next)) {
      const { pauseMs, attempts, waited_ms, forbidden_ms, handed_back } = next;
      tx.saveTask(task_id, { attempts, waited_ms, forbidden_ms, handed_back, due_at: scheduler.now() + pauseMs });
      return;
    }
    const dependent = dependents.get(row.deploymentId);
    if (next.ends !== 'Done' || dependent === undefined || !('Upgrade' in task.operation)) return;
    const using = tx.read(dependent);
    const after = isLiving(using) ? reinstall(using) : null;
    if (after) tx.save(dependent, after);
  }

  function* finishIn(tx: Transaction, report: Report): Steps {
    const { deploymentId } = tx.task(report.task_id);
    const plan = report.outcome === 'Done' ? deciders.locks.finishDone : deciders.locks.finishOther;
    yield* lockAll(tx, plan, { taskId: report.task_id, deploymentId });
    const { fence, acknowledged_fence } = tx.task(report.task_id);
    const status = startedIn(tx.read(deploymentId), report.task_id) ? 'Started' : 'Done';
    const standing = deciders.standingOf({ fence, acknowledged_fence, status }, report.fence);
    if (standing === 'acknowledged') return;
    if (standing === 'lost') throw new Conflict();
    endClaim(tx, report);
  }

  /** The change; a started task that it ends is locked before it is read for the decision, as heartbeats change it meanwhile. */
  function* made(tx: Transaction, before: Living, change: Requested['change']): Steps<Model | null> {
    const task = startedTask(before);
    const isOver = (after: Model | null) => after !== null && !after.queue.some(({ id }) => id === task?.id);
    const proposed = change(before);
    if (!task || !isOver(proposed)) return proposed;
    yield* tx.lock({ key: `task ${task.id}` });
    yield* world.pause();
    const now = tx.read(tx.task(task.id).deploymentId);
    const after = isLiving(now) ? change(now) : null;
    if (!isOver(after)) return after;
    world.count('tasks that were superseded');
    tx.saveTask(task.id, { lease_until: null });
    return after;
  }

  function* answered<T>(process: Process, work: (tx: Transaction) => Steps<T>): Steps<Answer<T>> {
    try {
      const done = yield* database.inTransaction(process, work);
      return done ? { ok: done.value } : { refused: 'unavailable' };
    } catch (error) {
      if (error instanceof Conflict) return { refused: 'conflict' };
      throw error;
    }
  }

  function* takeBack(tx: Transaction, task_id: string): Steps {
    const { deploymentId } = tx.task(task_id);
    yield* lockAll(tx, deciders.locks.finishOther, { taskId: task_id, deploymentId });
    const { lease_until, fence } = tx.task(task_id);
    if (lease_until === null || lease_until >= scheduler.now()) return;
    if (!startedIn(tx.read(deploymentId), task_id)) return;
    world.count('claims that were taken back');
    endClaim(tx, { task_id, fence, outcome: 'Silent' });
  }

  const started = (): { id: string; until: number }[] => {
    const found = [];
    for (const { queue } of database.committed.models.values()) {
      for (const { id, status } of queue) {
        const until = status === 'Started' ? database.committed.tasks.get(id)?.lease_until : null;
        if (until != null) found.push({ id, until });
      }
    }
    return found;
  };

  function* sweep(process: Process): Steps {
    for (;;) {
      yield* scheduler.sleep(sweepMs * world.between(0.9, 1.1));
      for (const { id, until } of started()) {
        if (until < scheduler.now()) yield* answered(process, (tx) => takeBack(tx, id));
      }
      // Nothing expires before the next lease does, so earlier polls would find nothing.
      const next = Math.min(...started().map(({ until }) => until), scheduler.now() + leaseMs);
      if (next > scheduler.now()) yield* scheduler.sleep(next - scheduler.now());
    }
  }

  function startReplica(at: number): void {
    const process = createProcess({ pass: (work) => work() }, (self) => {
      if (world.chance(world.faults.serviceKilled)) self.kill();
    });
    process.onKilled(() => {
      world.count('replicas that were killed');
      replicas[at] = null;
      scheduler.after(world.between(500, 8_000), () => startReplica(at));
    });
    replicas[at] = process;
    process.spawn(sweep(process));
  }

  return {
    *claim(process) {
      for (let ended = 0; ended < 20; ended += 1) {
        const done = yield* answered(process, start);
        if ('refused' in done) return done;
        if (done.ok === 'nothing') return { ok: null };
        if (done.ok === 'ended') continue;
        if (!world.chance(world.faults.claimIncomplete)) return { ok: done.ok };
        const { task_id, fence } = done.ok;
        const given = yield* answered(process, (tx) => finishIn(tx, { task_id, fence, outcome: 'Unreachable' }));
        if ('refused' in given) return given;
      }
      return { ok: null };
    },

    heartbeat: (process, { task_id, fence, begins, awaits }) =>
      answered(process, function* (tx) {
        yield* tx.lock({ key: `task ${task_id}` });
        const row = tx.task(task_id);
        const model = tx.read(row.deploymentId);
        const isStarted = startedIn(model, task_id) !== undefined;
        if (!deciders.isLatest({ fence: row.fence, isStarted }, fence)) throw new Conflict();
        const cancel_requested = row.cancel_requested_at !== null;
        tx.saveTask(task_id, {
          lease_until: scheduler.now() + leaseMs,
          awaits_readiness: row.awaits_readiness || awaits,
        });
        if (begins && isLiving(model) && begin(model) !== undefined) {
          const isNew = !cancel_requested && row.helm_fence < fence;
          tx.saveTask(task_id, {
            attempts: row.attempts + (isNew ? 1 : 0),
            helm_fence: cancel_requested ? row.helm_fence : fence,
            waited_ms: 0,
            forbidden_ms: 0,
          });
        }
        world.count('heartbeats');
        return { cancel_requested };
      }),

    finish: (process, report) =>
      answered(process, function* (tx) {
        yield* finishIn(tx, report);
        return null;
      }),

    request: (process, { deploymentId, change, executeAt, refersTo, holdsCluster, cancels }) =>
      answered(process, function* (tx) {
        if (cancels !== null) {
          yield* lockAll(tx, deciders.locks.cancel, { taskId: cancels, deploymentId });
        } else {
          if (holdsCluster) yield* tx.lock({ key: 'cluster', mode: 'share' });
          yield* tx.lock({ key: `deployment ${deploymentId}` });
          if (refersTo !== null) yield* tx.lock({ key: `deployment ${refersTo}`, mode: 'key share' });
        }
        const before = tx.read(deploymentId);
        if (!isLiving(before)) throw new Conflict();
        const after = yield* made(tx, before, change);
        if (!after) throw new Conflict();
        database.scheduleAt = executeAt === null ? null : Math.max(executeAt, scheduler.now());
        tx.save(deploymentId, after);
        database.scheduleAt = null;
        if (cancels !== null) {
          const requestedAt = after.queue.find(({ id }) => id === cancels)?.cancel_requested_at ?? null;
          tx.saveTask(cancels, { cancel_requested_at: requestedAt });
        }
        const known = new Set(before.queue.map(({ id }) => id));
        return after.queue.map(({ id }) => id).filter((id) => !known.has(id));
      }),

    moveCluster: (process) =>
      answered(process, function* (tx) {
        yield* tx.lock({ key: 'cluster' });
        for (const id of [...database.committed.models.keys()].toSorted()) {
          yield* tx.lock({ key: `deployment ${id}`, mode: 'no key update' });
        }
      }),

    replica: () => world.pick(replicas.filter((process) => process !== null)) ?? null,
    nextDue: () => {
      let next = Infinity;
      for (const { queue } of database.committed.models.values()) {
        const [first] = queue;
        const due = first?.status === 'Pending' ? database.committed.tasks.get(first.id)?.due_at : undefined;
        if (due !== undefined && due < next) next = due;
      }
      return next;
    },
    setClusterKnownUp: (isUp) => {
      clusterIsUp = isUp;
    },
    startReplicas: () => replicas.forEach((process, at) => process ?? startReplica(at)),
  };
}

export const cancelOf =
  (id: string) =>
  (model: Living): Model | null => {
    const task = model.queue.find((other) => other.id === id);
    return task ? cancel(model, task) : null;
  };

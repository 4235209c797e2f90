import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import { outcomeOf } from '../../../runner/src/outcome/outcome-of.ts';
import { permanent, TaskFailure, transient, unreachable } from '../../../runner/src/outcome/task-failure.ts';
import { heartbeatPause, renewedUntil, safeUntil } from '../../../runner/src/claim/lease-time.ts';
import { holderOf } from '@berth/contracts/fields/kubernetes-names';
import { isInterrupted } from '../../../runner/src/run/next-action.ts';
import type { Observed } from '../../../runner/src/release/observe-release.ts';
import { type Cluster, type HelmProcess, type SimNamespace, startHelm } from './cluster.ts';
import type { Deciders } from './deciders.ts';
import { createMachine, createProcess, type Machine, type Process } from './process.ts';
import { type Steps, wait } from './scheduler.ts';
import { type ClaimedRun, leaseMs, type Service } from './service.ts';
import type { Call } from './transport.ts';
import type { World } from './world.ts';

const concurrency = 2;
const pollMs = 1_000;
const graceMs = 10_000;
const graceAfterLossMs = 2_000;
const guardGraceMs = 5_000;
const orphanGraceMs = 3_000;

/** Something that happens at most once. */
interface Signal {
  aborted: boolean;
  onAbort(listener: () => void): void;
  abort(): void;
}

function createSignal(): Signal {
  const listeners: (() => void)[] = [];
  const signal: Signal = {
    aborted: false,
    onAbort: (listener) => void listeners.push(listener),
    abort: () => {
      if (signal.aborted) return;
      signal.aborted = true;
      for (const listener of listeners.splice(0)) listener();
    },
  };
  return signal;
}

class Stopped extends Error {}

const readyWithinMs = 120_000;

export interface RunnerWatch {
  helmStarts(task: ClaimedRun, helm: HelmProcess): void;
  writes(task: ClaimedRun, what: string): void;
  reported(task: ClaimedRun, outcome: string, answer: string): void;
}

export interface Runner {
  readonly process: Process;
  readonly machine: Machine;
  readonly helms: ReadonlySet<HelmProcess>;
  stop(): void;
  readonly isIdle: boolean;
  /**
   * Only a call to the service comes between the last check and the start of Helm; the machine cannot measure how old its answer
   * is.
   */
  readonly isBeginning: boolean;
}

interface Deps {
  world: World;
  service: Service;
  call: Call;
  cluster: Cluster;
  deciders: Deciders;
  watch: RunnerWatch;
}

/** A runner on its own machine, with its process guard and the pure decisions of the real one. */
export function startRunner({ world, service, call, cluster, deciders, watch }: Deps): Runner {
  const { scheduler } = world;
  const machine = createMachine(scheduler, { offset: world.between(0, 1e9), rate: world.between(0.999, 1.001) });
  const process = createProcess(machine, inject);
  const stopping = createSignal();
  const helms = new Set<HelmProcess>();
  const running = new Map<string, { fence: number; done: Signal }>();
  let slotsTaken = 0;
  let beginning = 0;
  let waits = 0;

  /** Faults at each step of the process. */
  function inject(self: Process): void {
    const { runnerKilled, runnerPaused, machineFrozen, runnerStopped } = world.faults;
    if (world.chance(runnerKilled)) {
      world.count('runners that were killed');
      if (waits > 0) world.count('runners that were killed while they waited');
      self.kill();
    } else if (world.chance(runnerPaused)) {
      world.count('runners that were paused');
      self.pause();
      scheduler.after(world.between(100, 60_000), self.resume);
    } else if (beginning === 0 && world.chance(machineFrozen)) {
      world.count('machines that were frozen');
      machine.freeze();
      for (const helm of helms) helm.wasFrozen = true;
      scheduler.after(world.between(100, 90_000), machine.thaw);
    } else if (world.chance(runnerStopped)) {
      world.count('runners that were stopped');
      if (waits > 0) world.count('runners that were stopped while they waited');
      stopping.abort();
    }
  }

  // The guard notices that its pipe has closed and ends the remaining processes.
  process.onKilled(() => {
    for (const helm of helms) {
      scheduler.after(world.between(0, 100), () => machine.pass(() => helm.stop(orphanGraceMs)));
    }
  });

  function* claims(): Steps {
    while (!stopping.aborted) {
      const isFree = slotsTaken < concurrency;
      const isAnyDue = service.nextDue() <= scheduler.now();
      const claimedAt = machine.clock();
      const answer = isFree && isAnyDue ? yield* call((replica) => service.claim(replica), 5_000) : null;
      if (answer && 'ok' in answer && answer.ok) start(answer.ok, claimedAt);
      else
        yield* scheduler.sleep(
          pollMs + Math.min(10_000, Math.max(0, isFree ? service.nextDue() - scheduler.now() : pollMs)),
        );
    }
  }

  function start(task: ClaimedRun, claimedAt: number): void {
    const { task_id, fence } = task;
    const before = running.get(task_id);
    if (before && before.fence >= fence) return;
    const entry = { fence, done: createSignal() };
    running.set(task_id, entry);
    slotsTaken += 1;
    let hasSlot = true;
    const leaveSlot = () => {
      if (hasSlot) slotsTaken -= 1;
      hasSlot = false;
    };
    const waitWithoutSlot = () => {
      leaveSlot();
      waits += 1;
    };
    process.spawn(
      (function* () {
        if (before && !before.done.aborted) yield* wait<void>((done) => before.done.onAbort(done));
        yield* run(task, claimedAt, waitWithoutSlot);
        if (!hasSlot) waits -= 1;
        if (running.get(task_id) === entry) running.delete(task_id);
        leaveSlot();
        entry.done.abort();
      })(),
    );
  }

  function* run(task: ClaimedRun, claimedAt: number, waitWithoutSlot: () => void): Steps {
    const { task_id, fence } = task;
    const lost = createSignal();
    const canceled = createSignal();
    const closed = createSignal();
    let deadline = safeUntil(claimedAt, leaseMs);
    let awaits = false;
    const renewals = new Set<() => void>();
    const remaining = () => deciders.remainingOf(deadline, machine.clock());

    function isLost(): boolean {
      if (remaining() === 0 && !closed.aborted) lost.abort();
      return lost.aborted;
    }

    function* renew(begins = false): Steps<boolean> {
      const sentAt = machine.clock();
      const answer = yield* call(
        (replica) => service.heartbeat(replica, { task_id, fence, begins, awaits }),
        Math.min(2_000, remaining()),
      );
      if ('refused' in answer) {
        if (answer.refused === 'conflict') lost.abort();
        return false;
      }
      if (isLost()) return false;
      deadline = renewedUntil(deadline, sentAt, leaseMs);
      if (answer.ok.cancel_requested) canceled.abort();
      for (const renewed of renewals) renewed();
      return true;
    }

    function* keepRenewing(): Steps {
      let renewed: boolean | null = null;
      while (!closed.aborted) {
        yield* scheduler.sleep(Math.max(1, Math.min(heartbeatPause(leaseMs, { renewed, awaits }), remaining())));
        if (closed.aborted || isLost()) return;
        renewed = yield* renew();
      }
    }
    process.spawn(keepRenewing());

    // A release that a canceled deploy leaves behind is repaired, too.
    let isRepairing = false;
    const isStopped = () => lost.aborted || (!isRepairing && (canceled.aborted || stopping.aborted));
    const goOn = () => {
      if (isStopped()) throw new Stopped();
    };

    function* api<T>(work: () => T, isWrite = false): Steps<T> {
      goOn();
      if (isWrite && isLost()) throw transient('the claim expired');
      const answer = yield* cluster.call(work);
      goOn();
      if ('unreachable' in answer) throw unreachable('the cluster does not answer');
      return answer.ok;
    }

    const readNamespace = () =>
      api(() => {
        const found = cluster.namespaces.get(task.run.namespace);
        return found ? { ...found, revisions: found.revisions.map((revision) => ({ ...revision })) } : null;
      });

    const observed = ({ revisions }: Pick<SimNamespace, 'revisions'>): Observed =>
      revisions.at(-1) ?? { status: 'absent' };

    function* takeFence(found: SimNamespace): Steps {
      let namespace = found;
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const step = deciders.fenceStep(namespace.holder, task);
        if (step === 'held') return;
        if (step === 'taken over') throw transient('taken over');
        if (!(yield* renew())) throw unreachable('not confirmed');
        const { name, version } = namespace;
        const isTaken = yield* api(() => {
          const there = cluster.namespaces.get(name);
          if (there?.version !== version || there.isTerminating) return false;
          there.holder = holderOf(task);
          there.version += 1;
          return true;
        }, true);
        if (isTaken) return;
        const again = yield* readNamespace();
        if (!again || again.isTerminating) throw transient('deleted meanwhile');
        namespace = again;
      }
      throw transient('changed by others');
    }

    function* checkFence(): Steps {
      const namespace = yield* readNamespace();
      if (!namespace || deciders.fenceStep(namespace.holder, task) !== 'held') throw transient('taken over');
    }

    function* repair(): Steps {
      const namespace = yield* readNamespace();
      const last = namespace?.revisions.at(-1);
      if (!namespace || !last || !isInterrupted(last)) return;
      // Read before the fence is checked, so that a later change by another claim makes the swap fail.
      yield* checkFence();
      const isSwapped = yield* api(() => {
        const newest = cluster.namespaces.get(task.run.namespace)?.revisions.at(-1);
        const own = cluster.namespaces.get(task.run.namespace)?.revisions[namespace.revisions.length - 1];
        if (!own || !newest || own.version !== last.version || own.taskId !== last.taskId || own.fence !== last.fence)
          return false;
        watch.writes(task, 'sets the release to failed');
        own.status = 'failed';
        own.version += 1;
        return true;
      }, true);
      if (!isSwapped) throw transient('changed by others');
    }

    function* runHelm(isFenceFresh: boolean): Steps {
      if (!isFenceFresh) yield* checkFence();
      beginning += 1;
      let begun = false;
      for (let tries = 0; tries < 3 && !isLost() && !begun; tries += 1) {
        begun = yield* renew(true);
        if (!begun && !isLost()) yield* scheduler.sleep(1_000);
      }
      beginning -= 1;
      if (!begun) throw isLost() ? transient('expired') : unreachable('not confirmed');
      goOn();
      if (isLost()) throw transient('expired');
      const deploys = task.run.action === 'deploy' ? task.run : null;
      const helm = startHelm(world, cluster, { machine, namespace: task.run.namespace, task_id, fence, deploys });
      helms.add(helm);
      watch.helmStarts(task, helm);

      // The guard keeps the last deadline that it received, even while the runner is paused.
      let guarded = machine.clock() + remaining();
      const guard = (): void => {
        if (!helm.isAlive) return;
        const left = guarded - machine.clock();
        if (left > 0) scheduler.after(left, () => machine.pass(guard));
        else helm.stop(guardGraceMs);
      };
      guard();
      const extend = () => {
        guarded = machine.clock() + remaining();
      };
      renewals.add(extend);
      lost.onAbort(() => helm.stop(graceAfterLossMs));
      canceled.onAbort(() => helm.stop(graceMs));
      stopping.onAbort(() => helm.stop(graceMs));
      const exit = yield* helm.exited();
      renewals.delete(extend);
      helms.delete(helm);
      if (exit === 'done') return;
      if (exit === 'failed') throw permanent('the chart is wrong');
      throw exit === 'unreachable' ? unreachable('the cluster does not answer') : transient('Helm was ended');
    }

    function* create(): Steps<boolean> {
      const { namespace: name } = task.run;
      return yield* api(() => cluster.create({ name, deploymentId: task.deployment_id, holder: holderOf(task) }), true);
    }

    function* deploy(): Steps {
      let found: SimNamespace | null = null;
      let isFresh = task.is_first && (yield* create());
      for (let tries = 0; !isFresh && found === null; tries += 1) {
        if (tries > 20) throw transient('still terminating');
        const namespace = yield* readNamespace();
        if (namespace && !namespace.isTerminating) {
          if (namespace.deploymentId !== task.deployment_id) throw permanent('a foreign namespace');
          yield* takeFence(namespace);
          found = namespace;
        } else if (!namespace && (yield* create())) isFresh = true;
        else yield* scheduler.sleep(250);
      }
      const action = deciders.nextAction(
        { action: 'deploy', taskId: task_id },
        found ? observed(found) : { status: 'absent' },
      );
      if (action === 'adopt') {
        world.count('releases that were adopted');
        if ((found?.revisions.at(-1)?.readyAt ?? 0) > scheduler.now())
          world.count('waits that another runner continued');
        yield* awaitReadiness();
        return;
      }
      if (action === 'unlock') {
        world.count('releases that were repaired');
        yield* repair();
      }
      goOn();
      // A chart that is not cached.
      if (world.chance(0.3)) {
        yield* scheduler.sleep(world.between(10, 5_000));
        isFresh = false;
      }
      goOn();
      yield* runHelm(isFresh);
      yield* awaitReadiness();
    }

    /** Reads only, and outlasts a cluster that does not answer. The time counts from the end of Helm. */
    function* awaitReadiness(): Steps {
      waitWithoutSlot();
      awaits = true;
      yield* renew();
      for (;;) {
        const namespace = yield* unlessUnreachable(readNamespace());
        if (!cluster.isUp) world.count('waits during an outage of the cluster');
        const release = namespace?.revisions.at(-1);
        if (release?.taskId === task_id && (release.readyAt ?? 0) <= scheduler.now()) return;
        if (release && scheduler.now() > (release.endedAt ?? 0) + readyWithinMs) {
          world.count('releases that did not become ready');
          throw permanent('not ready');
        }
        yield* scheduler.sleep(world.between(100, 10_000));
        goOn();
      }
    }

    function* unlessUnreachable<T>(steps: Steps<T>): Steps<T | null> {
      try {
        return yield* steps;
      } catch (error) {
        if (error instanceof TaskFailure && error.kind === 'unreachable') return null;
        throw error;
      }
    }

    function* uninstall(): Steps {
      const namespace = yield* readNamespace();
      if (!namespace) return;
      if (namespace.deploymentId !== task.deployment_id) throw permanent('a foreign namespace');
      let hasBegun = false;
      if (!namespace.isTerminating) {
        yield* takeFence(namespace);
        const there = yield* readNamespace();
        const action = deciders.nextAction(
          { action: 'uninstall', taskId: task_id },
          there ? observed(there) : { status: 'absent' },
        );
        if (action === 'uninstall') {
          yield* runHelm(false);
          hasBegun = true;
        }
      }
      if (!hasBegun && !(yield* renew(true))) throw unreachable('not confirmed');
      goOn();
      for (;;) {
        const left = yield* readNamespace();
        if (!left || left.deploymentId !== task.deployment_id) return;
        if (!left.isTerminating) {
          if (deciders.fenceStep(left.holder, task) !== 'held') throw transient('taken over');
          yield* api(() => {
            if (cluster.remove(left)) watch.writes(task, 'deletes the namespace');
          }, true);
        }
        yield* scheduler.sleep(500);
      }
    }

    let outcome: ReturnType<typeof outcomeOf> = { outcome: 'Done', reason: null };
    try {
      if (world.chance(world.faults.clusterCallFails)) throw unreachable('no access');
      yield* world.pause();
      if (task.run.action === 'deploy') {
        try {
          yield* deploy();
        } catch (error) {
          isRepairing = !stopping.aborted && !isLost();
          if (isRepairing) yield* quietly(repair());
          throw error;
        }
      } else yield* uninstall();
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof TaskFailure)) throw error;
      outcome = outcomeOf(error, { lease: { canceled }, stopping }) ?? { outcome: 'Retry', reason: null };
    }
    if (outcome && !isLost()) yield* reportOutcome(outcome.outcome);
    closed.abort();

    function* reportOutcome(how: TaskOutcome): Steps {
      const giveUpAt = machine.clock() + (stopping.aborted ? 4_000 : 60_000);
      const report = { task_id, fence, outcome: how };
      while (!isLost() && machine.clock() < giveUpAt) {
        const answer = yield* call((replica) => service.finish(replica, report));
        const isAnswered = 'ok' in answer || answer.refused === 'conflict';
        if (isAnswered) watch.reported(task, how, 'ok' in answer ? 'recorded' : 'refused');
        if (isAnswered) return;
        yield* scheduler.sleep(500);
      }
    }
  }

  function* quietly(steps: Steps): Steps {
    try {
      yield* steps;
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof TaskFailure)) throw error;
    }
  }

  process.spawn(claims());
  return {
    process,
    machine,
    helms,
    stop: stopping.abort,
    get isIdle() {
      return stopping.aborted && running.size === 0;
    },
    get isBeginning() {
      return beginning > 0;
    },
  };
}

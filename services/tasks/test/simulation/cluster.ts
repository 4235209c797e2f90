import type { DeployRun } from '../../src/records/task-run.ts';
import type { Machine } from './process.ts';
import { type Steps, wait } from './scheduler.ts';
import type { World } from './world.ts';

interface Revision {
  status: string;
  taskId: string;
  fence: number;
  /** Grows with each write. */
  version: number;
  /** When Helm ended, and when the objects become ready. */
  endedAt?: number;
  readyAt?: number;
}

export interface SimNamespace {
  name: string;
  uid: number;
  deploymentId: string;
  /** The claim that its annotation names. */
  holder: string;
  version: number;
  isTerminating: boolean;
  revisions: Revision[];
  /** The objects that are installed in it. */
  objects: DeployRun | null;
}

type CallResult<T> = { ok: T } | { unreachable: true };

/** The API server of the only cluster. */
export interface Cluster {
  isUp: boolean;
  readonly namespaces: ReadonlyMap<string, SimNamespace>;
  /** The server does the work atomically, but its answer may be lost. */
  call<T>(work: () => T): Steps<CallResult<T>>;
  create(namespace: Pick<SimNamespace, 'name' | 'deploymentId' | 'holder'>): boolean;
  /** False if it was changed since it was read, replaced, or removed. */
  remove(namespace: Pick<SimNamespace, 'name' | 'uid' | 'version'>): boolean;
}

export function createCluster(world: World): Cluster {
  const { scheduler } = world;
  const namespaces = new Map<string, SimNamespace>();
  let uids = 0;
  const cluster: Cluster = {
    isUp: true,
    namespaces,
    // A request that was sent arrives even if its sender dies.
    call: <T>(work: () => T) =>
      wait<CallResult<T>>((done) =>
        scheduler.after(world.delay(), () => {
          const isLost = world.chance(world.faults.clusterCallFails);
          const isUndone = !cluster.isUp || (isLost && world.chance(0.5));
          const result = isUndone ? null : { ok: work() };
          scheduler.after(world.delay(), () => done(isLost || !result ? { unreachable: true } : result));
        }),
      ),
    create: (namespace) => {
      if (namespaces.has(namespace.name)) return false;
      uids += 1;
      const empty = { uid: uids, version: 1, isTerminating: false, revisions: [], objects: null };
      namespaces.set(namespace.name, { ...namespace, ...empty });
      return true;
    },
    remove: ({ name, uid, version }) => {
      const namespace = namespaces.get(name);
      if (namespace?.uid !== uid || namespace.version !== version || namespace.isTerminating) return false;
      namespace.isTerminating = true;
      scheduler.after(world.between(50, 3_000), () => namespaces.delete(name));
      return true;
    },
  };
  return cluster;
}

type HelmExit = 'done' | 'failed' | 'in progress' | 'unreachable' | 'signal';

export interface HelmProcess {
  readonly isAlive: boolean;
  readonly namespace: string;
  /** The host paused its machine, so it may outlive its claim until the runner's next heartbeat is refused. */
  wasFrozen: boolean;
  exited(): Steps<HelmExit>;
  stop(graceMs: number): void;
  kill(): void;
}

export interface HelmRun {
  machine: Machine;
  namespace: string;
  task_id: string;
  fence: number;
  /** Null: uninstall. */
  deploys: DeployRun | null;
}

/** A model of Helm: it records a pending revision, changes objects and records the end. It can be killed at any step. */
export function startHelm(
  world: World,
  cluster: Cluster,
  { machine, namespace, task_id, fence, deploys }: HelmRun,
): HelmProcess {
  const { scheduler } = world;
  let exit: HelmExit | null = null;
  let isAsked = false;
  const listeners: ((exit: HelmExit) => void)[] = [];

  function end(how: HelmExit): void {
    if (exit !== null) return;
    exit = how;
    for (const listener of listeners.splice(0)) listener(how);
  }

  const newest = (): Revision | undefined => cluster.namespaces.get(namespace)?.revisions.at(-1);
  const write = (revision: Revision, status: string): void => {
    revision.status = status;
    revision.version += 1;
  };

  function* deploy(run: DeployRun): Steps<HelmExit> {
    const found = cluster.namespaces.get(namespace);
    if (!cluster.isUp) return 'unreachable';
    if (!found || found.isTerminating) return 'in progress';
    const last = newest();
    if (last && (last.status.startsWith('pending-') || last.status === 'uninstalling')) return 'in progress';
    const revision: Revision = {
      status: last ? 'pending-upgrade' : 'pending-install',
      taskId: task_id,
      fence,
      version: 1,
    };
    found.revisions.push(revision);
    yield* scheduler.sleep(world.between(20, 6_000));
    // Without the API server, Helm cannot even record its failure.
    if (!cluster.isUp) return 'unreachable';
    if (isAsked || world.chance(0.05)) {
      write(revision, 'failed');
      return isAsked ? 'signal' : 'failed';
    }
    found.objects = run;
    // Some charts have hooks for which Helm waits itself.
    if (world.chance(0.1)) yield* scheduler.sleep(world.between(10_000, 60_000));
    if (!cluster.isUp) return 'unreachable';
    revision.endedAt = scheduler.now();
    revision.readyAt =
      scheduler.now() + (world.chance(0.2) ? world.between(10_000, 180_000) : world.between(10, 6_000));
    write(revision, isAsked ? 'failed' : 'deployed');
    return isAsked ? 'signal' : 'done';
  }

  function* uninstall(): Steps<HelmExit> {
    const found = cluster.namespaces.get(namespace);
    if (!cluster.isUp) return 'unreachable';
    const revision = newest();
    if (!found || !revision) return 'done';
    write(revision, 'uninstalling');
    yield* scheduler.sleep(world.between(20, 6_000));
    if (!cluster.isUp) return 'unreachable';
    if (isAsked) return 'signal';
    found.objects = null;
    yield* scheduler.sleep(world.between(10, 1_000));
    found.revisions = [];
    return 'done';
  }

  function* life(): Steps {
    yield* scheduler.sleep(world.between(1, 400));
    if (isAsked) end('signal');
    else end(yield* deploys ? deploy(deploys) : uninstall());
  }

  const steps = life();
  const advance = (): void => {
    if (exit !== null) return;
    if (world.chance(world.faults.helmKilled)) {
      world.count('Helm processes that were killed');
      end('signal');
      return;
    }
    const next = steps.next();
    if (!next.done) next.value(() => machine.pass(advance));
  };
  machine.pass(advance);

  const helm: HelmProcess = {
    get isAlive() {
      return exit === null;
    },
    namespace,
    wasFrozen: false,
    *exited() {
      if (exit !== null) return exit;
      return yield* wait<HelmExit>((done) => listeners.push((how) => machine.pass(() => done(how))));
    },
    stop: (graceMs) => {
      isAsked = true;
      scheduler.after(graceMs, () => machine.pass(() => end('signal')));
    },
    kill: () => end('signal'),
  };
  return helm;
}

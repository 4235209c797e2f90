import type { DeploymentRecord } from '../../src/records/deployment-record.ts';
import { change, reinstall, remove, retry, retrySuperseding, schedule } from '../deployment-model/requests.ts';
import { engine } from '../deployment-model/claims.ts';
import { isLiving, type Living, type Model } from '../deployment-model/model.ts';
import { sampleDeployment } from '../support/sample-deployment.ts';
import { noTrouble } from '../deployment-model/model.ts';
import { createCluster } from './cluster.ts';
import { createDatabase } from './database.ts';
import type { Deciders } from './deciders.ts';
import { watchInvariants } from './invariants.ts';
import { createProcess } from './process.ts';
import { type Runner, startRunner } from './runner.ts';
import type { Steps } from './scheduler.ts';
import { cancelOf, createService, leaseMs, type Requested } from './service.ts';
import { createTransport } from './transport.ts';
import { Broken, createWorld, type Faults, noFaults, type World } from './world.ts';

export interface Simulated {
  /** The broken invariant; null if none was broken. */
  broken: string | null;
  trace: readonly string[];
}

/** Without faults, only a lease, a pause or a run of Helm takes longer. */
const spareMs = 60_000;

/** Runs one seed: a few deployments, clients and runners with faults for some minutes; then everything must finish. */
export function simulate(
  seed: number,
  deciders: Deciders,
  { counts = new Map(), traced = false }: { counts?: Map<string, number>; traced?: boolean } = {},
): Simulated {
  const trace: string[] = [];
  const world = createWorld(seed, counts, traced ? trace : null);
  const usual = { ...engine };
  engine.whileRunning = deciders.whileRunning;
  engine.supersedable = deciders.supersedable;
  try {
    run(world, deciders);
    return { broken: null, trace };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { broken: error.message, trace };
  } finally {
    Object.assign(engine, usual);
  }
}

/** Each seed has its own mixture. Many lack most faults, because frequent faults would hide rare ones. */
function someFaults(world: World): Faults {
  const some = (most: number) => (world.chance(0.4) ? world.between(0, most) : 0);
  return {
    messageLost: some(0.2),
    messageDoubled: some(0.2),
    messageLate: some(0.1),
    commitFails: some(0.1),
    commitAnswerLost: some(0.1),
    serviceKilled: some(0.02),
    runnerKilled: some(0.02),
    runnerPaused: some(0.02),
    machineFrozen: some(0.02),
    runnerStopped: some(0.01),
    helmKilled: some(0.1),
    clusterCallFails: some(0.05),
    claimIncomplete: some(0.1),
  };
}

function run(world: World, deciders: Deciders): void {
  const { scheduler } = world;
  const database = createDatabase(world);
  const cluster = createCluster(world);
  // More of them compete for the slots; fewer meet themselves more often.
  const names = world.chance(0.15) ? ['a', 'b', 'c', 'd', 'e'] : ['a', 'b'];
  const deployments = names.map(
    (name): DeploymentRecord => ({ ...sampleDeployment, id: name, name, namespace: `web-${name}` }),
  );
  // The second deployment refers to the first.
  const service = createService(world, database, deciders, new Map([['a', 'b']]));
  const call = createTransport(world, service);

  const invariants = watchInvariants(world, database, cluster);

  for (const deployment of deployments) {
    const model: Living = { deployment, queue: [], running: null, over: [], runs: [], begun: [], trouble: noTrouble };
    database.insert(deployment.id, model);
  }
  world.faults = someFaults(world);
  service.startReplicas();

  const runners: (Runner | null)[] = [null, null];
  const startAt = (at: number): void => {
    const runner = startRunner({ world, service, call, cluster, deciders, watch: invariants.watch });
    runners[at] = runner;
    runner.process.onKilled(() => scheduler.after(world.between(1_000, 15_000), () => startAt(at)));
    const replaceIdle = (): void => {
      if (!runner.process.isAlive) return;
      if (runner.isIdle) startAt(at);
      else scheduler.after(5_000, replaceIdle);
    };
    scheduler.after(5_000, replaceIdle);
  };
  startAt(0);
  startAt(1);

  const faultsEndAt = world.between(40_000, 150_000);
  const plain = (deploymentId: string): Requested => ({
    deploymentId,
    change: () => null,
    executeAt: null,
    refersTo: deploymentId === 'b' ? 'a' : null,
    holdsCluster: false,
    cancels: null,
  });

  function* clients(): Steps {
    // Their first Installs.
    for (const { id } of deployments) yield* request({ ...plain(id), change: install });
    const most = Math.floor(world.between(2, 9));
    for (let n = 0; n < most; n += 1) {
      yield* scheduler.sleep(world.between(0, (1.6 * faultsEndAt) / most));
      const requested = someRequest();
      if (requested) yield* request(requested);
    }
  }

  function* request(requested: Requested): Steps {
    const answer = yield* call((replica) => service.request(replica, requested), 4_000);
    if (!('ok' in answer)) return;
    world.count('requests that were accepted');
    for (const id of answer.ok) invariants.accept(id, requested.deploymentId);
  }

  function* outages(): Steps {
    while (world.chance(0.3)) {
      yield* scheduler.sleep(world.between(0, faultsEndAt));
      if (scheduler.now() > faultsEndAt) return;
      cluster.isUp = false;
      world.count('outages of the cluster');
      scheduler.after(world.between(500, 10_000), () => service.setClusterKnownUp(cluster.isUp));
      yield* scheduler.sleep(world.between(1_000, 60_000));
      cluster.isUp = true;
      scheduler.after(world.between(500, 5_000), () => service.setClusterKnownUp(true));
    }
  }

  function someRequest(): Requested | null {
    const id = world.pick(deployments)?.id ?? '';
    const model = database.read(id);
    if (!isLiving(model)) return null;
    const n = Math.floor(world.between(0, 1_000));
    const task = world.pick(model.queue);
    const over = world.pick(model.over);
    const executeAt = scheduler.now() + world.between(1_000, 40_000);
    const scheduled = { executeAt };
    const supersedes = n % 2 === 0;
    const requests: (Requested | null)[] = [
      { ...plain(id), change: (was) => change(was, { config: { n } }, supersedes) },
      { ...plain(id), change: (was) => change(was, { config: { n } }, supersedes) },
      { ...plain(id), holdsCluster: true, change: (was) => change(was, { name: `${id}${n % 3}` }, supersedes) },
      { ...plain(id), holdsCluster: true, change: (was) => change(was, { name: `${id}${n % 3}` }, supersedes) },
      { ...plain(id), change: (was) => change(was, { enabled: !was.deployment.enabled }) },
      { ...plain(id), ...scheduled, change: (was) => schedule(was, 'Upgrade', { config: { n } }) },
      { ...plain(id), ...scheduled, change: (was) => schedule(was, 'Uninstall', { enabled: false }) },
      { ...plain(id), change: reinstall },
      { ...plain(id), change: remove },
      task ? { ...plain(id), change: cancelOf(task.id), cancels: task.id } : null,
      task ? { ...plain(id), change: cancelOf(task.id), cancels: task.id } : null,
      over ? { ...plain(id), change: (was) => (supersedes ? retrySuperseding : retry)(was, over) } : null,
      null,
      null,
    ];
    const picked = world.pick(requests) ?? null;
    if (picked === null) {
      const replica = service.replica();
      replica?.spawn(service.moveCluster(replica));
    }
    return picked;
  }

  const client = createProcess({ pass: (work) => work() }, () => undefined);
  client.spawn(clients());
  client.spawn(outages());

  scheduler.runUntil(faultsEndAt);
  world.faults = noFaults;
  cluster.isUp = true;
  service.setClusterKnownUp(true);
  scheduler.runUntil(1.7 * faultsEndAt);

  const open = () => [...database.committed.models.values()].flatMap(({ queue }) => queue);
  const due = Math.max(scheduler.now(), ...open().map(({ id }) => database.committed.tasks.get(id)?.due_at ?? 0));
  // Each may be claimed by a dead, paused or frozen runner, and still needs its run of Helm.
  const endsBy = due + leaseMs + spareMs + (open().length + 4) * 75_000;
  scheduler.runUntil(endsBy, () => open().length === 0);
  for (const task of open())
    world.note(`open: ${JSON.stringify([task.operation, task.status, database.committed.tasks.get(task.id)])}`);
  for (const runner of runners)
    world.note(`runner: alive ${runner?.process.isAlive}, frozen ${runner?.machine.isFrozen}, idle ${runner?.isIdle}`);
  if (open().length > 0) world.fail(`I5: ${open().length} tasks are not over`);
  // Repeats requests whose answers were lost, and removes namespaces.
  scheduler.runUntil(scheduler.now() + 100_000);

  invariants.checkEnd();
}

const install = ({ deployment, ...was }: Living): Model | null => {
  if (deployment.installed_namespace !== null || was.queue.length > 0 || was.over.length > 0) return null;
  const disabled = { ...was, deployment: { ...deployment, enabled: false } };
  return change(disabled, { enabled: true });
};

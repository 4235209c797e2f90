import { sameJson } from '@berth/contracts/fields/json';
import { holderOf } from '@berth/contracts/fields/kubernetes-names';
import type { Model } from '../deployment-model/model.ts';
import type { Cluster, HelmProcess } from './cluster.ts';
import type { Database } from './database.ts';
import type { RunnerWatch } from './runner.ts';
import type { ClaimedRun } from './service.ts';
import type { World } from './world.ts';

export interface Invariants {
  /** Checks actions of runners at once. */
  readonly watch: RunnerWatch;
  /** A client was told that this task is accepted. */
  accept(id: string, deploymentId: string): void;
  /** To be called when all tasks are over. */
  checkEnd(): void;
}

/** Ends the simulation with a failure at the first commit, start of Helm or report that breaks a promise of the engine. */
export function watchInvariants(world: World, database: Database, cluster: Cluster): Invariants {
  const live = new Set<HelmProcess>();
  const latest = new Map<string, number>();
  const recorded = new Set<string>();
  const effects = new Map<string, number>();
  /** Namespaces in which two Helm processes worked because a host had paused a machine. Their content is undefined. */
  const disputed = new Set<string>();
  /** Namespaces in which a Helm may have ended later than its runner could know. */
  const outlived = new Set<string>();
  const accepted: { id: string; deploymentId: string }[] = [];
  const ended = new Map<string, string>();

  database.onCommit((next) => {
    for (const [id, is] of next.models) {
      if (is.queue.filter(({ status }) => status === 'Started').length > 1)
        world.fail('I4: two tasks of a deployment are started');
      const open = new Set(is.queue.map((task) => task.id));
      for (const task of database.committed.models.get(id)?.queue ?? []) if (!open.has(task.id)) ended.set(task.id, id);
    }
    for (const [id, row] of next.tasks) {
      const old = database.committed.tasks.get(id);
      if (!old) continue;
      if (row.fence < old.fence) world.fail('I3: a fence fell');
      if (row.fence > old.fence) latest.set(id, row.fence);
      if (row.acknowledged_fence === old.acknowledged_fence || row.acknowledged_fence === null) continue;
      if (row.acknowledged_fence !== latest.get(id)) world.fail('I3: the outcome of an older claim was recorded');
      const claim = `${id}:${row.acknowledged_fence}`;
      if (recorded.has(claim)) world.fail('I3: an outcome was recorded twice');
      recorded.add(claim);
    }
  });

  const isCurrent = ({ task_id, fence, deployment_id }: ClaimedRun): boolean => {
    const task = database.committed.models.get(deployment_id)?.queue.find(({ id }) => id === task_id);
    return task?.status === 'Started' && database.committed.tasks.get(task_id)?.fence === fence;
  };

  const watch: RunnerWatch = {
    helmStarts(task, helm) {
      world.count(`Helm runs: ${task.run.action}`);
      world.note(`Helm starts for ${task.task_id}:${task.fence} in ${helm.namespace}`);
      for (const other of live) {
        if (other.wasFrozen) outlived.add(other.namespace);
        if (!other.isAlive) live.delete(other);
        else if (other.namespace === helm.namespace) {
          if (!other.wasFrozen) world.fail('I2: two Helm processes of one deployment are alive');
          disputed.add(helm.namespace);
        }
      }
      live.add(helm);
      if (!isCurrent(task)) world.fail('I2: a Helm starts for a claim that is over');
      const release = cluster.namespaces.get(helm.namespace)?.revisions.at(-1);
      const isDeployed =
        release?.status === 'deployed' && release.taskId === task.task_id && !outlived.has(helm.namespace);
      if (task.run.action === 'deploy' && isDeployed) world.fail('I5: what a task has deployed is deployed again');
      const order = database.committed.tasks.get(task.task_id)?.order ?? 0;
      const before = effects.get(task.deployment_id) ?? 0;
      const at = database.committed.tasks.get(task.task_id)?.execute_at ?? 0;
      const position = at * 1_000 + order / 1_000;
      if (position < before) world.fail('I4: a task takes effect after a later one');
      effects.set(task.deployment_id, position);
    },
    writes(task, what) {
      world.note(`${task.task_id}:${task.fence} ${what}`);
      const holder = cluster.namespaces.get(task.run.namespace)?.holder;
      if (holder !== holderOf(task)) world.fail(`I3: a runner ${what} in a namespace that another claim holds`);
    },
    reported(task, outcome, answer) {
      world.note(`${task.task_id}:${task.fence} reported ${outcome}: ${answer}`);
      const isRecorded = recorded.has(`${task.task_id}:${task.fence}`);
      if (answer === 'refused' && isRecorded && latest.get(task.task_id) === task.fence) {
        world.fail('I3: an outcome that was recorded was refused');
      }
    },
  };

  return {
    watch,
    accept: (id, deploymentId) => void accepted.push({ id, deploymentId }),
    checkEnd() {
      for (const { id, deploymentId } of accepted) {
        const isOpen = database.committed.models.get(deploymentId)?.queue.some((task) => task.id === id);
        if (!isOpen && ended.get(id) !== deploymentId) world.fail('I1: a request was accepted and its task is lost');
      }
      for (const [id, model] of database.committed.models) checkRest(id, model);
    },
  };

  function checkRest(id: string, { deployment, running }: Model): void {
    for (const namespace of cluster.namespaces.values()) {
      if (namespace.deploymentId !== id || namespace.revisions.length === 0 || disputed.has(namespace.name)) continue;
      if (deployment?.installed_namespace !== namespace.name) world.fail('a release was left behind and forgotten');
      if (deployment.state !== 'Running') continue;
      if (!running || !sameJson(namespace.objects?.config ?? null, running.config))
        world.fail('I4: not the last task is what runs');
    }
    if (!deployment || disputed.has(deployment.namespace)) return;
    if (['Installing', 'Upgrading', 'Renaming', 'Uninstalling'].includes(deployment.state))
      world.fail(`nothing ends the state ${deployment.state}`);
    const there = cluster.namespaces.get(deployment.namespace);
    if (deployment.state === 'Running' && deployment.installed_namespace === deployment.namespace && !there) {
      world.fail('it is Running and nothing is there');
    }
  }
}

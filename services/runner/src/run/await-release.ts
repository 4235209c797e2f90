import type { TaskCluster } from '../cluster/task-cluster.ts';
import { checkObjects, type NamedObject, shownName } from '../rollout/check-objects.ts';
import { customObjectsOf } from '../rollout/custom-objects.ts';
import { crashingPods } from '../rollout/pods-of.ts';
import { type AwaitedObjects, readAwaitedOfRelease } from '../rollout/read-awaited.ts';
import { failsByCrashes, isAwaited } from '../rollout/readiness.ts';
import { awaitReadiness } from './await-readiness.ts';
import type { RunContext } from './run-context.ts';

export interface DeployedRelease {
  /** The objects of its manifest, hooks left out. */
  objects: readonly NamedObject[];
  /** When Helm ended, by `Date.now()`. */
  endedAt: number;
}

/** Waits until a release is ready as Helm would, but without a Helm. */
export async function awaitRelease(run: RunContext, cluster: TaskCluster, release: DeployedRelease): Promise<void> {
  const { task, deps } = run;
  const objects = release.objects.filter(isAwaited);
  if (objects.length === 0) return;
  const kinds = new Set(objects.map(({ kind }) => kind));
  const crashing = new Map<string, string>();
  const check = checkObjects(objects, task.namespace);
  const readCustom = customObjectsOf(task, deps.work);

  await awaitReadiness(run, cluster, {
    subject: 'The release is deployed and',
    since: release.endedAt,
    check: (reader) => check(reader, crashing),
    readAwaited: async (reader, signal, failure) => {
      const custom = () => readCustom(reader, signal);
      const found = await readAwaitedOfRelease(reader, task.namespace, { waits: true, failure, custom, kinds });
      noteCrashing(crashing, found);
      return found;
    },
  });
}

function noteCrashing(crashing: Map<string, string>, { awaited, explanations }: AwaitedObjects): void {
  crashing.clear();
  for (const one of awaited) {
    const pods = failsByCrashes(one) ? crashingPods(one, explanations) : 0;
    if (pods > 0) crashing.set(shownName(one), `${pods === 1 ? '1 pod keeps' : `${pods} pods keep`} crashing`);
  }
}

import type { Model } from './model.ts';

/** The facts of the table "What is wanted and what is installed" in the specification that the model breaks, in words; null if none. */
export function brokenFact({ deployment, queue, runs, begun }: Model): string | null {
  if (!deployment) return runs.length === 0 ? null : 'a deleted deployment has installed runs';
  const { installed_namespace: place, revision_id, state } = deployment;
  const ids = runs.map(({ id }) => id);
  const started = queue.find(({ status }) => status === 'Started');

  const forgotten = begun.filter((id) => !ids.includes(id));
  if (forgotten.length > 0) return 'objects of a run may be in the cluster, and it does not count as installed';
  const kept = ids.filter((id) => !begun.includes(id) && !queue.some((task) => task.id === id));
  if (kept.length > 0) return 'a run counts as installed, and Helm never began it or another one succeeded since';
  if (place === null && ids.length > 0) return 'there are installed runs, and no place';
  if (runs.some(({ run }) => run.namespace !== place)) return 'an installed run is at another place';
  if (revision_id !== null && !ids.includes(revision_id)) return 'the revision does not count as installed';
  if (started?.run?.action === 'deploy' && place !== started.run.namespace) return 'a deploy has no installed place';
  if (state === 'Running' && ids.some((id) => id !== revision_id))
    return 'it is Running, and another run counts as well';
  return null;
}

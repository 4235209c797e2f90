import { createKinds } from '../cluster/api-kinds.ts';
import { keyOf } from '../manifests/kube-object.ts';
import { type TriedPlace, type TryDeps, tryObjects } from './cluster/try-objects.ts';
import type { DesiredObject, Manifests } from './diff/diff-manifests.ts';
import { hooksOf, isHook } from './diff/hooks.ts';
import type { Tried } from './diff/tried-objects.ts';
import type { ApiKindsDeps } from '../cluster/api-kinds.ts';

interface New extends Pick<Manifests, 'live'> {
  next: readonly DesiredObject[];
}

type Place = Omit<TriedPlace, 'created'> & { isUpgrade: boolean };

/** What the cluster says of the objects that a deploy would apply, hooks of its events included. */
export async function tryNew(
  { next, live }: New,
  { isUpgrade, ...place }: Place,
  { api, signal, remainingMs }: Omit<TryDeps, 'findKind'> & ApiKindsDeps,
): Promise<Tried[]> {
  const hooks = hooksOf(next.filter(isHook), { isUpgrade, marked: 'nothing' });
  const running = new Set(hooks.map(({ kind, name }) => `${kind}/${name}`));
  const objects = next.filter(
    (object) =>
      !object.isOurs && !object.isCrdFile && (!isHook(object) || running.has(`${object.kind}/${object.name}`)),
  );
  const created = next.filter((object) => live.get(keyOf(object)) === undefined);
  const findKind = createKinds({ api, signal });
  return tryObjects(objects, { ...place, created }, { api, findKind, signal, remainingMs });
}

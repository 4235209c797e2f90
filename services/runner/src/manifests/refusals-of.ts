import type { GrantScope } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { type FindKind, namespaceIn } from '../cluster/api-kinds.ts';
import type { ClusterClient, WantedKind } from '../cluster/cluster-client.ts';
import { groupOf } from '../cluster/group-of.ts';
import { permanent } from '../outcome/task-failure.ts';
import type { ManifestFacts, ObjectFacts } from './facts-of.ts';
import { type Allowed, type PlacedFacts, type Refusal, refuseObject } from './refuse-object.ts';

/** The cluster, as the account that will apply the objects. */
export type CheckDeps = Pick<ClusterClient, 'findKind' | 'mayCreate'>;

export interface CheckedPlace extends Allowed {
  /** The namespace does not exist yet, so the account has no rights in it. */
  isAbsent?: boolean;
  /** Scopes of grants that only a deploy would bind, so their rights are not known yet. */
  unbound?: readonly GrantScope[];
  /** Transition: all deployments share the account, so its rights are not those of this one. */
  isShared?: boolean;
}

/** Limited, since each kind in each namespace is a request to the cluster, and each version of an API is another one. */
const mostKinds = 100;

/** The objects that a chart may not have, with reasons. */
export async function refusalsOf(
  { objects }: Pick<ManifestFacts, 'objects'>,
  place: CheckedPlace,
  deps: CheckDeps,
): Promise<Refusal[]> {
  refuseManyVersions(objects);
  const asked = new Map<string, Promise<boolean | null>>();

  function mayCreate(wanted: WantedKind): Promise<boolean | null> {
    const key = JSON.stringify(wanted);
    const answer = asked.get(key) ?? deps.mayCreate(wanted);
    asked.set(key, answer);
    if (asked.size > mostKinds) throw permanent(`The chart has more than ${mostKinds} kinds of objects and namespaces`);
    return answer;
  }

  const placed = await Promise.all(objects.map((object) => placedObject(object, place, deps.findKind, mayCreate)));
  return placed.flatMap((object) => refuseObject(object, place) ?? []);
}

/** Before the cluster is asked which of them it knows. */
export function refuseManyVersions(objects: readonly Pick<ObjectFacts, 'apiVersion' | 'defines'>[]): void {
  const versions = objects.flatMap(({ apiVersion, defines }) => [apiVersion, ...(defines?.apiVersions ?? [])]);
  if (new Set(versions).size > mostKinds)
    throw permanent(`The chart has objects of more than ${mostKinds} versions of APIs`);
}

async function placedObject(
  object: ObjectFacts,
  place: CheckedPlace,
  findKind: FindKind,
  mayCreate: CheckDeps['mayCreate'],
): Promise<PlacedFacts> {
  const kind = await findKind(object);
  const goesTo = kind ? namespaceIn(kind, object, place.namespace) : undefined;
  if (!kind || goesTo === undefined || isUnknown(goesTo, place)) return { ...object, goesTo, mayCreate: null };
  if (place.isShared) return { ...object, goesTo, mayCreate: goesTo === place.namespace };
  const answer = await mayCreate({ group: groupOf(object.apiVersion), resource: kind.plural, namespace: goesTo });
  const isThere = object.isCrdFile && (await isDefined(object, findKind));
  return { ...object, goesTo, mayCreate: isThere ? null : answer };
}

function isUnknown(goesTo: string | null, { namespace, isAbsent = false, unbound = [] }: CheckedPlace): boolean {
  const isOwn = goesTo === namespace;
  return (isOwn && isAbsent) || unbound.some((scope) => scope === 'Cluster' || isOwn);
}

/** Whether the cluster has all versions that a CustomResourceDefinition defines. */
export async function isDefined({ defines }: Pick<ObjectFacts, 'defines'>, findKind: FindKind): Promise<boolean> {
  if (!defines) return false;
  const { kind, apiVersions } = defines;
  const found = await Promise.all(apiVersions.map((apiVersion) => findKind({ apiVersion, kind })));
  return found.length > 0 && found.every((one) => one !== null);
}

import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { creationOf, type FindKind, pathOfObject } from '../../cluster/api-kinds.ts';
import { AccessRefused } from '../../outcome/task-failure.ts';
import { keyOf, metadataOf } from '../../manifests/kube-object.ts';
import type { DesiredObject } from '../diff/diff-manifests.ts';
import { isHook } from '../diff/hooks.ts';
import { meaningOfRefusal, type Tried } from '../diff/tried-objects.ts';

const atOnce = 8;
const most = { objects: 500, bytes: 16 * 1024 * 1024, ms: 8_000 };
/** Admission webhooks may take this long. */
const deadlineMs = 4_000;

export interface TryDeps {
  api: Pick<KubeApi, 'applyJson' | 'postJson'>;
  findKind: FindKind;
  signal: AbortSignal;
  remainingMs: () => number;
}

/** Where a release is planned. */
export interface TriedPlace {
  namespace: string;
  isThere: boolean;
  /** ClusterRoles are granted that only a deploy binds. */
  isGrantUnbound: boolean;
  /** The chart would create these, so what needs them cannot be tried. */
  created: readonly DesiredObject[];
}

/**
 * Asks the cluster whether it would take each object, as the account that will apply them: types, immutable fields, quotas,
 * admission and rights. It stores nothing.
 */
export async function tryObjects(
  objects: readonly DesiredObject[],
  { namespace, isThere, isGrantUnbound, created }: TriedPlace,
  { api, findKind, signal, remainingMs }: TryDeps,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  const endAt = performance.now() + Math.min(most.ms, remainingMs() / 3);
  const names = new Set(created.map(({ name }) => name));
  let bytes = 0;

  async function outcomeOf(object: DesiredObject): Promise<Tried['outcome']> {
    if (!isThere && object.namespace === namespace) return { untried: 'the namespace does not exist yet' };
    if (performance.now() > endAt) return { untried: 'the cluster took too long' };
    const kind = await findKind(object);
    const path = kind && pathOfObject(kind, object);
    if (!kind || !path) return { untried: 'the cluster does not know their kinds yet' };
    const body = asHelmApplies(object, namespace);
    bytes += JSON.stringify(body).length;
    if (bytes > most.bytes) return { untried: 'the objects are too large to be tried together' };
    const call = { signal, deadlineMs, dryRun: true, isStrict: true } as const;
    try {
      // Helm deletes most hooks before it creates them, so those that are there say nothing.
      if (isHook(object)) await api.postJson(`${creationOf(path)}&dryRun=All`, body, call);
      else await api.applyJson(path, body, 'helm', call);
      return 'taken';
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof KubeError)) return { untried: 'the cluster did not answer' };
      if (error.status === 401) throw new AccessRefused('The cluster rejected the credential of the deployment', error);
      if (isHook(object) && error.reason === 'AlreadyExists') return 'taken';
      return meaningOfRefusal(error, { created: names, isGrantUnbound });
    }
  }

  await eachAtMost(atOnce, objects.slice(0, most.objects), async (object) => {
    tried.push({ key: keyOf(object), outcome: await outcomeOf(object) });
  });
  return tried;
}

/** Admission may depend on the marks that Helm gives every object of a release. */
function asHelmApplies(object: DesiredObject, release: string): object {
  const { metadata, ...content } = object.content;
  const labels = {
    ...metadataOf(object, 'labels'),
    ...(!isHook(object) && { 'app.kubernetes.io/managed-by': 'Helm' }),
  };
  const ofRelease = { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': release };
  const annotations = { ...metadataOf(object, 'annotations'), ...(!isHook(object) && ofRelease) };
  const given = typeof metadata === 'object' && metadata !== null ? metadata : {};
  const placed = object.namespace === null ? {} : { namespace: object.namespace };
  return { ...content, metadata: { ...given, ...placed, labels, annotations } };
}

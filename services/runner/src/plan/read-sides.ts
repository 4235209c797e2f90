import { isJsonObject } from '@berth/contracts/fields/json';
import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import { createKinds, type FindKind, namespaceIn } from '../cluster/api-kinds.ts';
import { isLastingHook } from '../manifests/hook-events.ts';
import { keyOf, kubeObjectOf } from '../manifests/kube-object.ts';
import type { ParsedManifest } from '../manifests/parse-manifest.ts';
import { definedBy } from '../manifests/facts-of.ts';
import { isDefined } from '../manifests/refusals-of.ts';
import { readManifests } from '../manifests/read-manifests.ts';
import { permanent } from '../outcome/task-failure.ts';
import { readLive } from './cluster/read-live.ts';
import type { DesiredObject, Marked } from './diff/diff-manifests.ts';
import { isHook } from './diff/hooks.ts';
import type { Limits, PlanAccess } from './plan-context.ts';
import type { PlanWork } from './plan-work.ts';
import type { MarkedText } from './render-run.ts';

/** Limited, since each object is read from the cluster. */
const mostObjects = 500;

interface Texts {
  released: string;
  rendered: string;
  /** The folder crds of the chart. */
  crds: string;
  withMarkers: MarkedText;
}

/** The objects of the installed release, those of the new manifest with Berth's Secrets, and the live state of all of them. */
export async function readSides(
  run: DryRun,
  { released, rendered, crds, withMarkers }: Texts,
  { access: { api, isThere }, work, limits: { signal } }: { access: PlanAccess; work: PlanWork; limits: Limits },
) {
  const isMarked = withMarkers !== null && withMarkers !== 'unknown';
  const texts = [released, rendered, ...(isMarked ? [withMarkers.text] : [])];
  const parsed = await readManifests({ texts, crds }, { work, owner: run.deployment_id, signal });
  const [before = [], after = [], markedObjects = []] = parsed.map(objectsOf);
  if (Math.max(before.length, after.length, markedObjects.length) > mostObjects)
    throw permanent(`A release of more than ${mostObjects} objects is not compared`);
  const findKind = createKinds({ api, signal });
  const inPlace = (objects: readonly DesiredObject[]) =>
    Promise.all(objects.map((object) => placed(object, run.namespace, findKind)));
  const old = await inPlace(before);
  const next = [...(await inPlace(after)), ...ownSecrets(run)];
  const isReadable = ({ namespace }: DesiredObject) => isThere || namespace !== run.namespace;
  const compared = [...old, ...next.filter((object) => !isHook(object) || isLastingHook(object))].filter(isReadable);
  const live = await readLive(compared, findKind, { api, signal });
  const marked: Marked = isMarked ? await inPlace(markedObjects) : (withMarkers ?? 'nothing');
  return { old, next, live, marked, unreadable: parsed.slice(0, 2).reduce((sum, one) => sum + one.unreadable, 0) };
}

export const sharesObjects = ({
  old,
  next,
}: {
  old: readonly DesiredObject[];
  next: readonly DesiredObject[];
}): boolean => {
  const known = new Set(old.map(keyOf));
  return next.some((object) => known.has(keyOf(object)));
};

const objectsOf = (parsed: ParsedManifest): DesiredObject[] =>
  parsed.objects.flatMap(({ content, isCrdFile }) => {
    const object = kubeObjectOf(content);
    return object ? [{ ...object, isCrdFile }] : [];
  });

/** The object with the namespace in which Helm puts it. */
async function placed(object: DesiredObject, namespace: string, findKind: FindKind): Promise<DesiredObject> {
  const within = { ...object, namespace: namespaceIn(await findKind(object), object, namespace) };
  if (!object.isCrdFile) return within;
  const { spec } = object.content;
  const defines = definedBy(object.kind, isJsonObject(spec) ? spec : {});
  return { ...within, isDefined: await isDefined({ defines }, findKind) };
}

/** The Secrets that Berth writes before Helm. */
const ownSecrets = ({ namespace, secrets }: DryRun): DesiredObject[] =>
  Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name,
    isOurs: true,
    content: { type: 'Opaque', stringData, metadata: { labels: managedLabels } },
  }));

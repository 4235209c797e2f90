import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import type { PlannedField } from '@berth/contracts/resources/tasks/deployment-plans';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { isJsonObject } from '@berth/contracts/fields/json';
import { groupOf } from '../../cluster/group-of.ts';
import { diffFields, type FieldChange, hiddenName } from './diff-fields.ts';
import { type Hidden, plannedField } from './hide-secrets.ts';
import { isImmutable } from './immutable-fields.ts';
import { type KubeObject, keyOf, metadataOf } from '../../manifests/kube-object.ts';

type Planned = DryRunResult['objects'][number];

/** An object of the new manifest with its origin. */
export interface DesiredObject extends KubeObject {
  /** From the folder `crds`: the first deploy creates it if it is missing, and no deploy changes it. */
  isCrdFile?: boolean;
  /** A CRD whose kind the cluster already has, in all of its versions. */
  isDefined?: boolean;
  /** Written by Berth itself, before Helm. */
  isOurs?: boolean;
}

/** `unknown`: the cluster does not know the kind. `refused`: the account of the deployment may not read the object. */
export type Live = KubeObject | 'unknown' | 'refused';

export interface Manifests {
  /** Namespace and name of the release. */
  release: { namespace: string; name: string };
  /** The objects of the installed release. */
  old: readonly KubeObject[];
  wanted: readonly DesiredObject[];
  /** The live objects by `keyOf`. */
  live: ReadonlyMap<string, Live>;
  hidden: Hidden;
  marked: Marked;
}

/**
 * The rendering of the chart with markers in place of secrets. `nothing`: the values do not contain secrets. `unknown`: the chart does
 * not render with markers, so all values are hidden.
 */
export type Marked = 'nothing' | 'unknown' | readonly KubeObject[];

export interface Diff {
  objects: Planned[];
  unchanged: number;
}

const isSecret = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'Secret';

/** The changes that Helm would make to the objects of a release, without secrets. Pure. */
export function diffManifests(manifests: Manifests): Diff {
  const markedOf = markedObjects(manifests.marked);
  const olds = new Map(manifests.old.map((object) => [keyOf(object), object]));
  const kept = new Set(manifests.wanted.map(keyOf));
  const kindsWithMadeNames = new Set(
    manifests.wanted.filter((object) => markedOf(object) === null).map(({ kind }) => kind),
  );
  const planned = [
    ...manifests.wanted.map((object) => plannedFor(object, olds.get(keyOf(object)), { ...manifests, markedOf })),
    ...manifests.old
      .filter((object) => !kept.has(keyOf(object)))
      .map((object) => goneFrom(object, manifests, kindsWithMadeNames)),
  ];
  const objects = planned.filter((object) => object !== 'unchanged' && object !== 'nothing');
  return { objects, unchanged: planned.filter((object) => object === 'unchanged').length };
}

interface Compared extends Manifests {
  markedOf: MarkedObjectOf;
}
type MarkedObjectOf = (object: DesiredObject) => KubeObject | null;

/** The object in the rendering with markers; null if that lacks it. */
function markedObjects(marked: Marked): MarkedObjectOf {
  if (marked === 'nothing' || marked === 'unknown') return (object) => object;
  const byKey = new Map(marked.map((object) => [keyOf(object), object]));
  return (object) => (object.isOurs ? object : (byKey.get(keyOf(object)) ?? null));
}

const notShown = 'no values are shown: the chart does not render with other texts in place of its secrets';

type Outcome = Planned | 'unchanged' | 'nothing';

function plannedFor(object: DesiredObject, old: KubeObject | undefined, manifests: Compared): Outcome {
  const live = manifests.live.get(keyOf(object));
  const marked = manifests.markedOf(object);
  const becomes = (action: Planned['action'], reason: string | null = null, fields: PlannedField[] = []): Planned => ({
    ...nameOf(object),
    // The rendering with markers lacks this object, so its name was made from a secret.
    ...(marked === null && { name: hiddenName }),
    action,
    reason,
    fields,
  });
  if (object.isCrdFile && (object.isDefined || typeof live === 'object')) {
    return becomes('keep', 'it exists already, and deploys only create what lies in the folder crds of a chart');
  }
  if (live === 'unknown') {
    return manifests.wanted.some((other) => defines(other, object))
      ? becomes('create', 'its kind is defined by the chart')
      : becomes('blocked', `the cluster does not know the kind ${object.kind} of ${object.apiVersion}`);
  }
  if (live === 'refused') {
    return becomes('create', 'unless it exists: the account of the deployment may not read it');
  }
  if (live === undefined) {
    return becomes('create', old ? 'it is part of the release and missing in the cluster' : null);
  }
  // A workload may be able to write its release's Secret, so the release proves ownership only within its namespace.
  const isInstalled = old !== undefined && object.namespace === manifests.release.namespace;
  if (!isInstalled && !isOwned(object, live, manifests.release)) {
    return becomes('blocked', 'it exists already and does not belong to this release');
  }
  const sides = { old: comparable(old), live: comparable(live), wanted: comparable(object) };
  const changes = [...diffFields({ ...sides, marked: marked ? comparable(marked) : undefined })];
  if (changes.length === 0) return 'unchanged';
  const fields = changes.map((change) =>
    plannedField(change, { isHidden: isHidden(change, object, manifests.marked) }, manifests.hidden),
  );
  const fixed = fields.find(({ path }) => isImmutable(object, path) || isFrozen(live, path));
  if (!fixed) return becomes('change', manifests.marked === 'unknown' ? notShown : null, fields);
  const why = `${fixed.path} cannot be changed: the update fails until the object is deleted`;
  return becomes('replace', why, fields);
}

/** If names in the new release are made from a secret, those of the old one may be made from its earlier contents. */
function goneFrom(object: KubeObject, { live }: Manifests, kindsWithMadeNames: ReadonlySet<string>): Outcome {
  const found = live.get(keyOf(object));
  if (typeof found !== 'object') return 'nothing';
  const isKept = metadataOf(found, 'annotations')['helm.sh/resource-policy'] === 'keep';
  const named = { ...nameOf(object), ...(kindsWithMadeNames.has(object.kind) && { name: hiddenName }) };
  return isKept
    ? { ...named, action: 'keep', reason: 'its annotation helm.sh/resource-policy is keep', fields: [] }
    : { ...named, action: 'delete', reason: null, fields: [] };
}

/** Whether to hide the values of a field. If the chart gets secrets as values, removed fields may be made from earlier contents. */
const isHidden = ({ path, after }: FieldChange, object: KubeObject, marked: Marked): boolean =>
  (isSecret(object) && !isMetadata(path)) || marked === 'unknown' || (after === undefined && marked !== 'nothing');

const nameOf = ({ apiVersion, kind, namespace, name }: KubeObject) => ({
  api_version: apiVersion,
  kind,
  namespace,
  name,
});

/** Whether the first defines the kind of the second. */
function defines({ kind, content }: KubeObject, { apiVersion, kind: defined }: KubeObject): boolean {
  const { spec } = content;
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec) || !isJsonObject(spec['names'])) return false;
  return spec['group'] === groupOf(apiVersion) && spec['names']['kind'] === defined;
}

/** Helm's own check before it adopts an object. */
function isOwned({ isOurs }: DesiredObject, live: KubeObject, { namespace, name }: Manifests['release']): boolean {
  const labels = metadataOf(live, 'labels');
  if (isOurs) return labels['app.kubernetes.io/managed-by'] === 'berth';
  const annotations = metadataOf(live, 'annotations');
  return (
    labels['app.kubernetes.io/managed-by'] === 'Helm' &&
    annotations['meta.helm.sh/release-name'] === name &&
    annotations['meta.helm.sh/release-namespace'] === namespace
  );
}

const isFrozen = ({ content }: KubeObject, path: string): boolean =>
  content['immutable'] === true && /^\/(data|stringData|binaryData|immutable)(\/|$)/.test(path);

const isMetadata = ([first]: readonly string[]): boolean => first === 'metadata';

/** The fields of an object that a release sets. */
function comparable(object: KubeObject | undefined): JsonObject | undefined {
  if (!object) return undefined;
  const { status: _, metadata: _all, apiVersion: _version, kind: _kind, ...rest } = object.content;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadataOf(
    object,
    'annotations',
  );
  const metadata = { labels: metadataOf(object, 'labels'), annotations };
  return { ...(isSecret(object) ? withData(rest) : rest), metadata };
}

/** The server turns a Secret's `stringData` into `data`. */
function withData({ stringData, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(stringData)) return rest;
  const encoded = Object.entries(stringData).map(([name, text]): [string, JsonValue] => [
    name,
    Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)).toString('base64'),
  ]);
  return { ...rest, data: { ...(isJsonObject(rest['data']) ? rest['data'] : {}), ...Object.fromEntries(encoded) } };
}

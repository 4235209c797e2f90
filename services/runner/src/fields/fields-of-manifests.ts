import { isJsonObject, type JsonObject, type JsonValue, parsedJson } from '@berth/contracts/fields/json';
import { type KubeObject, keyOf, kubeObjectOf } from '../manifests/kube-object.ts';
import { type LeftOut, leaveOutFields, splitDocuments } from '../manifests/leave-out-fields.ts';
import { parseManifest } from '../manifests/parse-manifest.ts';
import { autoscalersOf } from './autoscalers.ts';
import { contestedFields, type ContestedField } from './contested-fields.ts';
import { fieldPathsOf } from './fields-policy.ts';
import { ownershipsOf } from './managed-fields.ts';

/** What a deploy compares, in the form in which it is sent to another process. */
export interface ReadFields {
  namespace: string;
  manifests: string;
  /** The live objects, as JSON. */
  live: readonly string[];
  /** The HorizontalPodAutoscalers of the namespace, as JSON; null if they could not be read. */
  autoscalers: string | null;
  keep: readonly string[];
}

type Named = Pick<KubeObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

export type ContestedOfObject = Named & Pick<ContestedField, 'path' | 'manager' | 'live' | 'chart' | 'keptBecause'>;

/** Replicas of a live object that need an owner besides Helm. */
export type SharedReplicas = Named & { uid: string; replicas: JsonValue };

export interface ResolvedFields {
  /** The manifests for Helm to apply; null: as it rendered them. */
  manifests: string | null;
  contested: ContestedOfObject[];
  /** How many are not listed. */
  more: number;
  share: SharedReplicas[];
}

const mostListed = 200;
/** So that the answer has a bound; a text this long is not worth a comparison by eye. */
const mostCharacters = 2_000;

/** The contested fields of a deploy, and what Helm is to apply. Runs in another process. */
export function fieldsOfManifests({ manifests, live, autoscalers, keep, namespace }: ReadFields): ResolvedFields {
  const resolved: ResolvedFields = { manifests: null, contested: [], more: 0, share: [] };
  const withNamespace = (object: KubeObject): KubeObject => ({ ...object, namespace: object.namespace ?? namespace });
  const lives = live.flatMap((text) => objectOf(text)).map(withNamespace);
  const list = autoscalers === null ? null : jsonOf(autoscalers);
  const isScaled = /HorizontalPodAutoscaler|ScaledObject/.test(manifests) || hasItems(list);
  const found = new Map(lives.filter((object) => isScaled || hasOtherOwners(object)).map((one) => [keyOf(one), one]));
  // Most deploys end here, before the YAML is read.
  if (found.size === 0) return resolved;

  const documents = splitDocuments(manifests);
  const rendered = documents.flatMap((document, at) =>
    at % 2 === 1 ? [] : objectsOf(document).map(({ object, item }) => ({ object: withNamespace(object), item, at })),
  );
  const policy = {
    autoscalers: autoscalersOf(
      rendered.map(({ object }) => object),
      list ?? undefined,
      { namespace },
    ),
    areAutoscalersKnown: list !== null,
    keep: fieldPathsOf(keep),
  };
  const leave = new Map<number, LeftOut[]>();
  for (const { object, item, at } of rendered) {
    const now = found.get(keyOf(object));
    if (!now) continue;
    const fields = contestedFields(object, now, policy);
    const { apiVersion, kind, name, namespace: within } = object;
    const named = { apiVersion, kind, name, namespace: within };
    const uid = uidOf(now.content);
    // Without its identity the object cannot be written safely.
    if (fields.share !== undefined && uid === null) continue;
    if (fields.share !== undefined && uid !== null) resolved.share.push({ ...named, uid, replicas: fields.share });
    if (fields.leave.length > 0) {
      leave.set(at, [...(leave.get(at) ?? []), ...fields.leave.map(({ steps }) => ({ item, steps }))]);
    }
    for (const { path, manager, live: value, chart, keptBecause } of fields.contested) {
      const { length } = resolved.contested;
      if (length === mostListed) resolved.more += 1;
      else resolved.contested.push({ ...named, path, manager, live: short(value), chart: short(chart), keptBecause });
    }
  }
  if (leave.size === 0) return resolved;
  const changed = documents.map((document, at) => leaveOut(document, leave.get(at)));
  return { ...resolved, manifests: changed.join('') };
}

const leaveOut = (document: string, fields: readonly LeftOut[] | undefined): string =>
  fields ? leaveOutFields(document, fields) : document;

function objectsOf(document: string): { object: KubeObject; item: number }[] {
  return parseManifest(document).objects.flatMap(({ content, isCrdFile, isAmbiguous }, item) => {
    const object = isCrdFile || isAmbiguous ? null : kubeObjectOf(content);
    return object ? [{ object, item }] : [];
  });
}

function objectOf(text: string): KubeObject[] {
  const object = kubeObjectOf(jsonOf(text) ?? undefined);
  return object ? [object] : [];
}

function jsonOf(text: string): JsonObject | null {
  const value = parsedJson(text);
  return isJsonObject(value) ? value : null;
}

const hasItems = (list: JsonObject | null): boolean => Array.isArray(list?.['items']) && list['items'].length > 0;

const hasOtherOwners = ({ content }: KubeObject): boolean =>
  ownershipsOf(content).some(({ manager }) => manager !== 'helm');

const uidOf = ({ metadata }: JsonObject): string | null =>
  isJsonObject(metadata) && typeof metadata['uid'] === 'string' ? metadata['uid'] : null;

const short = (value: JsonValue | undefined): JsonValue | undefined => {
  const text = typeof value === 'object' ? JSON.stringify(value) : value;
  return typeof text === 'string' && text.length > mostCharacters ? text.slice(0, mostCharacters) : value;
};

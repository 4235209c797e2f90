import type { ContestedField } from '@berth/contracts/resources/tasks/deployment-plans';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '@berth/contracts/fields/json';
import { type ContestedField as Contested, contestedFields, type FieldsPolicy } from '../../fields/contested-fields.ts';
import { type KubeObject, keyOf } from '../../manifests/kube-object.ts';
import type { DesiredObject, Manifests, Marked } from './diff-manifests.ts';
import { type Hidden, plannedField } from './hide-secrets.ts';

type PlannedContested = Omit<ContestedField, 'cluster_id'>;

interface PlannedFields {
  /** The objects as the deploy leaves them: fields that it does not apply have their live value. */
  wanted: DesiredObject[];
  contested: PlannedContested[];
}

type Sides = Pick<Manifests, 'live' | 'marked' | 'hidden'>;

/** What becomes of fields that others have changed, decided as in a deploy. Pure. */
export function planFields(
  objects: readonly DesiredObject[],
  { live, marked, hidden }: Sides,
  policy: FieldsPolicy,
): PlannedFields {
  const markedByKey = Array.isArray(marked) ? new Map(marked.map((object) => [keyOf(object), object])) : null;
  const contested: PlannedContested[] = [];
  const wanted = objects.map((object) => {
    const now = live.get(keyOf(object));
    if (typeof now !== 'object' || object.isCrdFile || object.isOurs) return object;
    const { contested: found, leave, share } = contestedFields(object, now, policy);
    const markedObject = markedByKey === null ? object : (markedByKey.get(keyOf(object)) ?? null);
    // The name of an object that the rendering with markers lacks was made from a secret.
    if (markedObject)
      for (const field of found) contested.push(planned(field, object, { marked, markedObject, hidden }));
    const kept = share === undefined ? leave : [...leave, { steps: ['spec', 'replicas'], live: share }];
    return kept.reduce((whole, one) => ({ ...whole, content: withValue(whole.content, one) }), object);
  });
  return { wanted, contested };
}

function planned(
  { path, steps, manager, live: before, chart: after, keptBecause: reason }: Contested,
  object: KubeObject,
  { marked, markedObject, hidden }: { marked: Marked; markedObject: KubeObject; hidden: Hidden },
): PlannedContested {
  const { apiVersion: api_version, kind, namespace, name } = object;
  const followsSecret = !sameJson(valueAt(markedObject.content, steps) ?? null, after ?? null);
  const isHidden = kind === 'Secret' || marked === 'unknown';
  const field = plannedField({ path, before, after, followsSecret }, { isHidden }, hidden);
  return {
    api_version,
    kind,
    namespace,
    name,
    path: field.path,
    manager,
    reason,
    hidden: field.hidden,
    becomes: reason === null ? 'taken_back' : 'kept',
    ...(field.before !== undefined && { live: field.before }),
    ...(field.after !== undefined && { chart: field.after }),
  };
}

type Steps = readonly (string | number)[];

const valueAt = (content: JsonObject, steps: Steps): JsonValue | undefined =>
  steps.reduce<JsonValue | undefined>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
  }, content);

function withValue(content: JsonObject, { steps, live }: { steps: Steps; live: JsonValue | undefined }): JsonObject {
  const changed = live === undefined ? content : replaced(content, steps, live);
  return isJsonObject(changed) ? changed : content;
}

function replaced(value: JsonValue | undefined, [step, ...rest]: Steps, leaf: JsonValue): JsonValue {
  if (step === undefined) return leaf;
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaced(item, rest, leaf) : item));
  const object = isJsonObject(value) ? value : {};
  return { ...object, [step]: replaced(object[step], rest, leaf) };
}

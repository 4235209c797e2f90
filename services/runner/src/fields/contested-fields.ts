import type { FieldPath } from '@berth/contracts/resources/deployments/field-path';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '@berth/contracts/fields/json';
import { hookEventsOf, isLastingHook } from '../manifests/hook-events.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { isSame } from '../manifests/same-value.ts';
import { type Autoscalers, targetKey } from './autoscalers.ts';
import { isReplicas, ownManager, whyKept } from './fields-policy.ts';
import { type OwnedField, ownedFields, type Ownership, ownershipsOf } from './managed-fields.ts';

/** A field that the chart sets and somebody besides Helm has given another value. */
export interface ContestedField {
  path: readonly string[];
  steps: OwnedField['steps'];
  /** Who owns it besides Helm, such as `kubectl (scale)`; null if an autoscaler may write it at any time. */
  manager: string | null;
  live: JsonValue | undefined;
  chart: JsonValue | undefined;
  /** Null: the chart's value is taken back. */
  keptBecause: string | null;
}

/** How a deploy treats the fields of one object of a chart. */
export interface FieldsOfObject {
  contested: ContestedField[];
  /** Fields that Helm must not apply, so that their owners keep them even if they write while Helm works. */
  leave: Pick<OwnedField, 'steps' | 'live'>[];
  /** The value of replicas that stay although only Helm owns them: Helm would reset or remove them. */
  share: JsonValue | undefined;
}

export interface FieldsPolicy {
  autoscalers: Autoscalers;
  areAutoscalersKnown: boolean;
  keep: readonly FieldPath[];
}

const helm = 'helm';

/** Compares an object of a chart with its live state. Pure; each owned field is read once. */
export function contestedFields(
  rendered: KubeObject,
  { content: live }: Pick<KubeObject, 'content'>,
  policy: FieldsPolicy,
): FieldsOfObject {
  const isLasting = isLastingHook(rendered);
  // Helm deletes these before it creates them.
  if (hookEventsOf(rendered).length > 0 && !isLasting) return { contested: [], leave: [], share: undefined };
  const autoscaler = policy.autoscalers.get(targetKey(rendered)) ?? null;
  const { others, helms } = ownersIn(live, rendered.content, isLasting);
  const found: FieldsOfObject = { contested: [], leave: [], share: undefined };
  for (const { field, owners } of others.values()) {
    const { kind, name } = rendered;
    const facts = { kind, name, ...field, owners, autoscaler, isLastingHook: isLasting };
    const keptBecause = whyKept({ ...facts, areAutoscalersKnown: policy.areAutoscalersKnown }, policy.keep);
    const canBeLeft = typeof field.steps.at(-1) === 'string';
    if (keptBecause !== null && canBeLeft) found.leave.push({ steps: field.steps, live: field.live });
    if (isLasting ? sameJson(field.rendered, field.live) : isUnchanged(field)) continue;
    const { path, steps, live: value, rendered: chart } = field;
    const kept = canBeLeft ? keptBecause : null;
    found.contested.push({ path, steps, manager: namesOf(owners), live: value, chart, keptBecause: kept });
  }
  return autoscaler === null ? found : withReplicas(found, { rendered, live, autoscaler, helms });
}

/** Whether both sides mean the same. The server adds defaults to what lies in a list that changes as a whole. */
const isUnchanged = ({ rendered, live, path }: OwnedField): boolean =>
  live === undefined || isWithin(rendered, live, path);

function isWithin(part: JsonValue, whole: JsonValue | undefined, path: readonly string[]): boolean {
  if (isJsonObject(part) && isJsonObject(whole)) {
    return Object.entries(part).every(([name, value]) =>
      isWithin(value, Object.hasOwn(whole, name) ? whole[name] : undefined, [...path, name]),
    );
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length === whole.length && part.every((item, at) => isWithin(item, whole[at], path));
  }
  return isSame(part, whole, path);
}

interface Owned {
  field: OwnedField;
  owners: Ownership[];
}

/** The fields of the chart that others own, and the entries of Helm itself. */
function ownersIn(live: JsonObject, rendered: JsonObject, isLasting: boolean) {
  const others = new Map<string, Owned>();
  const helms: Ownership[] = [];
  for (const ownership of ownershipsOf(live)) {
    // Fields that Helm wrote otherwise than by applying count as somebody else's, unless Helm takes them by force.
    if (ownership.manager === helm && (ownership.isApply || !isLasting)) helms.push(ownership);
    else if (ownership.manager !== ownManager || isLasting) {
      for (const field of ownedFields(ownership.fields, rendered, live)) {
        const key = JSON.stringify(field.steps);
        const owned = others.get(key);
        if (owned) owned.owners.push(ownership);
        else others.set(key, { field, owners: [ownership] });
      }
    }
  }
  return { others, helms };
}

const namesOf = (owners: readonly Ownership[]): string =>
  owners
    .slice(0, 3)
    .map(({ manager, subresource }) => (subresource === null ? manager : `${manager} (${subresource})`))
    .join(', ');

interface Scaled {
  rendered: KubeObject;
  live: JsonObject;
  autoscaler: string;
  helms: readonly Ownership[];
}

const replicas = ['spec', 'replicas'];

/**
 * An autoscaler may write at any time while Helm works, so Helm must not apply replicas. If it alone owned them, they would
 * then fall back to 1: another owner is needed first.
 */
function withReplicas(found: FieldsOfObject, { rendered, live, autoscaler, helms }: Scaled): FieldsOfObject {
  const now = replicasOf(live);
  if (now === undefined || found.leave.some(({ steps }) => isReplicas(steps.map(String)))) return found;
  const chart = replicasOf(rendered.content);
  if (chart === undefined && !helms.some(ownsReplicas)) return found;
  const leave = chart === undefined ? found.leave : [...found.leave, { steps: replicas, live: now }];
  const share = ownsOnly(live, helms) ? now : undefined;
  if (chart === undefined || chart === now) return { ...found, leave, share };
  const because = `the ${autoscaler} scales the object`;
  const field = { path: replicas, steps: replicas, manager: null, live: now, chart, keptBecause: because };
  return { contested: [...found.contested, field], leave, share };
}

const replicasOf = ({ spec }: JsonObject): JsonValue | undefined => (isJsonObject(spec) ? spec['replicas'] : undefined);

const ownsReplicas = ({ fields }: Pick<Ownership, 'fields'>): boolean => {
  const spec = fields['f:spec'];
  return isJsonObject(spec) && Object.hasOwn(spec, 'f:replicas');
};

const ownsOnly = (live: JsonObject, helms: readonly Ownership[]): boolean =>
  helms.some(ownsReplicas) && !ownershipsOf(live).some((one) => one.manager !== helm && ownsReplicas(one));

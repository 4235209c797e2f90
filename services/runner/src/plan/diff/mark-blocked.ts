import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { cutText } from '@berth/contracts/cut-text';
import { whoCanGrant } from '../../outcome/who-can-grant.ts';
import type { CheckedPlace } from '../../manifests/refusals-of.ts';
import type { Refusal } from '../../manifests/refuse-object.ts';

type PlannedObject = DryRunResult['objects'][number];

const keyOf = ({ kind, namespace, name }: Pick<PlannedObject, 'kind' | 'namespace' | 'name'>): string =>
  JSON.stringify([kind, namespace, name]);

/** Marks refused objects as blocked, with the reason, including hooks and objects that would not change. */
export function markBlocked(
  objects: readonly PlannedObject[],
  refused: readonly Refusal[],
  { isShared = false }: Pick<CheckedPlace, 'isShared'> = {},
): PlannedObject[] {
  const reasons = new Map(refused.map((refusal) => [keyOf(refusal), refusal]));
  if (isShared) return objects.map((object) => warned(object, reasons.get(keyOf(object))));
  return [...refused.map(blockedObject), ...objects.filter((object) => !reasons.has(keyOf(object)))];
}

const warned = (object: PlannedObject, refusal: Refusal | undefined): PlannedObject =>
  refusal && object.reason === null
    ? { ...object, reason: `Would be refused: it ${cutText(refusal.reason, 300)}` }
    : object;

const blockedObject = ({ apiVersion, kind, namespace, name, reason, isGrantable }: Refusal): PlannedObject => ({
  action: 'blocked',
  api_version: apiVersion,
  kind,
  namespace,
  name,
  reason: `It ${cutText(reason, 300)}. ${isGrantable ? whoCanGrant : 'A deploy would apply nothing'}`,
  fields: [],
});

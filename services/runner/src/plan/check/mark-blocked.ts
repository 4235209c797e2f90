import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { cutText } from '@berth/contracts/cut-text';
import { whoCanGrant } from '../../outcome/who-can-grant.ts';
import type { Refusal } from './refuse-object.ts';

type PlannedObject = DryRunResult['objects'][number];

const keyOf = ({ kind, namespace, name }: Pick<PlannedObject, 'kind' | 'namespace' | 'name'>): string =>
  JSON.stringify([kind, namespace, name]);

/** Objects that a deploy would be refused for are blocked, and say why; so are hooks and objects that would not change. */
export function markBlocked(objects: readonly PlannedObject[], refused: readonly Refusal[]): PlannedObject[] {
  const blocked = new Map(refused.map((refusal) => [keyOf(refusal), blockedObject(refusal)]));
  const kept = objects.filter((object) => !blocked.has(keyOf(object)));
  return [...blocked.values(), ...kept];
}

const blockedObject = ({ apiVersion, kind, namespace, name, reason, isGrantable }: Refusal): PlannedObject => ({
  action: 'blocked',
  api_version: apiVersion,
  kind,
  namespace,
  name,
  reason: `It ${cutText(reason, 300)}. ${isGrantable ? whoCanGrant : 'A deploy would apply nothing'}`,
  fields: [],
});

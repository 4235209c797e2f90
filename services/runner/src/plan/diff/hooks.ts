import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { hiddenName } from './diff-fields.ts';
import type { Marked } from './diff-manifests.ts';
import { hookEventsOf } from '../../manifests/hook-events.ts';
import { type KubeObject, keyOf } from '../../manifests/kube-object.ts';

/** Helm runs hooks at events and does not count them as part of the release. */
export const isHook = (object: KubeObject): boolean => hookEventsOf(object).length > 0;

/** The hooks that would run, with their events. */
export function hooksOf(
  objects: readonly KubeObject[],
  { isUpgrade, marked }: { isUpgrade: boolean; marked: Marked },
): DryRunResult['hooks'] {
  const markedKeys = Array.isArray(marked) ? new Set(marked.map(keyOf)) : null;
  const run = isUpgrade ? ['pre-upgrade', 'post-upgrade'] : ['pre-install', 'post-install'];
  return objects.flatMap((object) => {
    const events = hookEventsOf(object).filter((event) => run.includes(event));
    const { apiVersion: api_version, kind, namespace } = object;
    const name = markedKeys === null || markedKeys.has(keyOf(object)) ? object.name : hiddenName;
    return events.length === 0 ? [] : [{ api_version, kind, namespace, name, events }];
  });
}

import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { type KubeObject, keyOf, metadataOf } from '../../manifests/kube-object.ts';

export interface Removal {
  old: readonly KubeObject[];
  live: ReadonlyMap<string, unknown>;
  /** Whether the namespace exists; it is deleted with everything in it. */
  namespace: string;
  isThere: boolean;
  /** It was there before the deployment, so it stays. */
  isAdopted: boolean;
}

/** The plan of removing a release together with its namespace. */
export function planOfRemoval({ old, live, namespace, isThere, isAdopted }: Removal): Omit<DryRunResult, 'cut'> {
  const objects = old.flatMap((object): DryRunResult['objects'] => {
    const found = live.get(keyOf(object));
    if (typeof found !== 'object') return [];
    const isKept =
      metadataOf(object, 'annotations')['helm.sh/resource-policy'] === 'keep' && object.namespace !== namespace;
    const { apiVersion: api_version, kind, name } = object;
    return [
      {
        action: isKept ? 'keep' : 'delete',
        api_version,
        kind,
        namespace: object.namespace,
        name,
        reason: isKept ? 'its annotation helm.sh/resource-policy is keep' : null,
        fields: [],
      },
    ];
  });
  const whole: DryRunResult['objects'][number] = {
    action: isAdopted ? 'keep' : 'delete',
    api_version: 'v1',
    kind: 'Namespace',
    namespace: null,
    name: namespace,
    reason: isAdopted ? 'it was adopted: what is not of the release stays in it' : 'with everything that is left in it',
    fields: [],
  };
  return { objects: isThere ? [...objects, whole] : objects, hooks: [], unchanged: 0 };
}

import { type KubeObject, metadataOf } from './kube-object.ts';

export const hookEventsOf = (object: KubeObject): string[] => listIn(object, 'helm.sh/hook');

/** Whether Helm applies the hook to the object of its last run, if that is still there. It deletes the others first. */
export function isLastingHook(object: KubeObject): boolean {
  if (hookEventsOf(object).length === 0) return false;
  const policies = listIn(object, 'helm.sh/hook-delete-policy');
  return policies.length > 0 && !policies.includes('before-hook-creation');
}

const listIn = (object: KubeObject, annotation: string): string[] => {
  const text = metadataOf(object, 'annotations')[annotation];
  return typeof text === 'string' ? text.split(',').map((one) => one.trim()) : [];
};

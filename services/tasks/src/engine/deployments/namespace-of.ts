import { asciiLowerCase } from '@berth/contracts/fields/ascii-case';

/**
 * Namespace and Helm release of a deployment: lower-cased kind, dash, name (Specification, "Namespaces").
 * Computed once and stored, so that renaming a kind changes nothing that runs.
 */
export function namespaceOf(kind: string, name: string): string {
  const prefix = asciiLowerCase(kind).replaceAll(/[./]/g, '-');
  return name === '' ? prefix : `${prefix}-${name}`;
}

/** A Helm release is named after its namespace; Kubernetes alone would allow 63. */
export const maxReleaseName = 53;

/** Why Helm refuses this namespace, or null. Namespaces accepted before the limit was checked can be too long. */
export const releaseNameProblem = (namespace: string): string | null =>
  namespace.length <= maxReleaseName
    ? null
    : `The namespace ${namespace} has ${namespace.length} characters and Helm takes at most ${maxReleaseName}: rename the deployment`;

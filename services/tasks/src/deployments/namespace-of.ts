/**
 * Namespace and Helm release of a deployment: lower-cased kind, dash, name (decision 6).
 * Computed once and stored, so that a kind's rename changes nothing that runs.
 */
export function namespaceOf(kind: string, name: string): string {
  const prefix = kind.toLowerCase().replaceAll(/[./]/g, '-');
  return name === '' ? prefix : `${prefix}-${name}`;
}

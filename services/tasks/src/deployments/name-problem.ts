import { maxReleaseName, namespaceOf } from '../engine/deployments/namespace-of.ts';

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export interface Naming {
  kind: string;
  name: string;
  /** From the chart: `OnePerCluster` requires an empty name, `Many` a name. */
  cardinality: 'Many' | 'OnePerCluster';
  /** Namespaces that deployments may not use. */
  reserved: readonly string[];
}

/** The rule that a deployment's name breaks, worded to follow the field's path; null if it is valid (Specification, "Namespaces"). */
export function nameProblem({ kind, name, cardinality, reserved }: Naming): string | null {
  if (cardinality === 'OnePerCluster' && name !== '')
    return 'must be empty: the chart allows one deployment per cluster';
  if (cardinality === 'Many' && name === '') return 'must not be empty';
  if (name !== '' && !dnsLabel.test(name)) {
    return 'must be a DNS label: lower-case letters, digits and dashes, starting and ending with a letter or digit';
  }

  const namespace = namespaceOf(kind, name);
  if (namespace.length > maxReleaseName) {
    const tooLong = `the namespace ${namespace} would be longer than ${maxReleaseName} characters, the most that Helm takes`;
    return name === ''
      ? `cannot be used with the kind ${kind}: ${tooLong}`
      : `must leave room for its kind: ${tooLong}`;
  }
  if (!dnsLabel.test(namespace)) return `cannot be used with the kind ${kind}: ${namespace} is not a valid namespace`;
  if (isReserved(namespace, reserved)) return `would give the namespace ${namespace}, which is reserved`;
  return null;
}

/** Besides those of Kubernetes, Berth's own namespaces in clusters: a deployment in one of them could act as any other. */
const ownNamespaces: readonly string[] = ['berth-system', 'berth-deployers', 'berth-clusters'];

const isReserved = (namespace: string, reserved: readonly string[]): boolean =>
  namespace === 'default' ||
  ownNamespaces.includes(namespace) ||
  namespace.startsWith('kube-') ||
  reserved.includes(namespace);

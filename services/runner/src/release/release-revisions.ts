import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ObjectMetadata } from '../cluster/kube-objects.ts';

interface Revision {
  version: number;
  metadata: ObjectMetadata;
}

export interface Revisions {
  /** Newest first. */
  own: readonly Revision[];
  /** Secrets with the labels of the release that Helm did not write for Berth. */
  others: readonly ObjectMetadata[];
}

/**
 * Separates the revisions that Berth's Helm has written from forged ones, which everything that may write Secrets in the namespace
 * can create. Helm names each revision after its version and copies Berth's labels to the next one. A perfect forgery deceives Helm,
 * which acts on it with the rights of the deployment. They end at its namespace; more is granted only where the API server refuses
 * forgeries (`deploy/rbac/release-records-policy.yaml`).
 */
export function revisionsOf(release: string, found: readonly ObjectMetadata[]): Revisions {
  const own: Revision[] = [];
  const others: ObjectMetadata[] = [];
  for (const metadata of found) {
    const { name, labels = {} } = metadata;
    const version = labels['version'] ?? '';
    const isOwn =
      /^[1-9]\d{0,8}$/.test(version) &&
      name === `sh.helm.release.v1.${release}.v${version}` &&
      Boolean(labels[releaseLabels.task] && labels[releaseLabels.fence]);
    if (isOwn) own.push({ version: Number(version), metadata });
    else others.push(metadata);
  }
  return { own: own.toSorted((a, b) => b.version - a.version), others };
}

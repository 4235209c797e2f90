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
 * Separates the revisions that Berth's Helm has written from Secrets that pretend to be some: whoever may write Secrets in the namespace
 * can make them, a chart included. Helm names each revision after its version, and passes the labels of Berth on from one to the
 * next. Who copies all of this, with a payload to match, deceives Helm, and his own deployment only.
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

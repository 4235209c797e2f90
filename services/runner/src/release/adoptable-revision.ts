import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ObjectMetadata } from '../cluster/kube-objects.ts';

export type Adoptable =
  /** The name of the Secret with the newest revision. */
  | { readonly newest: string; readonly version: number }
  /** Berth's Helm has written a revision already: an earlier attempt has adopted the release. */
  | 'adopted'
  /** There is no such release. */
  | { readonly missing: string }
  | { readonly conflict: string };

/** Whether a release may be adopted, by the metadata of all records of Helm in its namespace. Somebody else's Helm wrote them. */
export function adoptableRevision(release: string, found: readonly ObjectMetadata[] | null): Adoptable {
  if (found === null) return { conflict: `The namespace ${release} has too many records of Helm releases to be read` };
  const records = found.flatMap(({ name, labels = {} }) => {
    const version = labels['version'] ?? '';
    const of = labels['name'] ?? '';
    const isRecord = /^[1-9]\d{0,8}$/.test(version) && name === `sh.helm.release.v1.${of}.v${version}`;
    return isRecord ? [{ name, of, version: Number(version), labels }] : [];
  });
  const own = records.filter(({ of }) => of === release);
  if (own.some(({ labels }) => labels[releaseLabels.task])) return 'adopted';
  const others = [...new Set(records.filter(({ of }) => of !== release).map(({ of }) => of))].toSorted();
  if (others.length > 0)
    return {
      conflict: `The namespace ${release} also holds the Helm release${others.length > 1 ? 's' : ''} ${others.slice(0, 5).join(', ')}; a deployment needs a namespace of its own`,
    };
  const newest = own.toSorted((a, b) => b.version - a.version)[0];
  if (!newest)
    return { missing: `There is no Helm release ${release} in the namespace ${release}, so there is nothing to adopt` };
  return { newest: newest.name, version: newest.version };
}

/** Why a release in this state cannot be adopted; null if it can. */
export function stateProblem(release: string, status: string): { missing: string } | { conflict: string } | null {
  if (status === 'deployed' || status === 'failed' || status === 'superseded') return null;
  if (status === 'uninstalled' || status === 'uninstalling')
    return { missing: `The Helm release ${release} is ${status}, so there is nothing to adopt` };
  return {
    conflict: `Another Helm works on the release ${release} (${status}); wait until it has ended, or repair the release`,
  };
}

import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { type NamespaceRecord, ownerOf } from '../namespaces/namespace-record.ts';

export interface EnteringClaim {
  readonly deployment_id: string;
  /** Whether the claim may create the namespace, as only deploys do. */
  readonly makes: boolean;
  /** The deployment was never installed, so a namespace without a record cannot be its own. */
  readonly isFirst: boolean;
  /** The claim takes over a release that is there already, with its namespace. */
  readonly adopts: boolean;
}

/** The next step towards entering the namespace. An interrupted claim continues from the record and the found namespace. */
export type EnterStep =
  /** Replace the record with a new mark. */
  | 'record'
  /** Create the namespace with the recorded mark. */
  | 'make'
  /** Record the uid of a namespace created by an earlier attempt or by a version without records. */
  | 'learn'
  /** Record a namespace that somebody else created, to take it over. */
  | 'adopt'
  | 'enter'
  | 'terminating'
  | 'absent'
  | 'foreign';

/** The table of `docs/decisions/0021`: record × found × claim. */
export function enterStep(
  record: NamespaceRecord | null,
  found: Pick<FoundNamespace, 'uid' | 'mark' | 'namedDeployment' | 'isTerminating'> | null,
  { deployment_id, makes, isFirst, adopts }: EnteringClaim,
): EnterStep {
  if (found === null) {
    if (!makes || (adopts && record?.deployment_id !== deployment_id)) return 'absent';
    // The namespace with the recorded uid was deleted, or the record is left over from another deployment.
    return record?.deployment_id === deployment_id && record.uid === null ? 'make' : 'record';
  }
  if (ownerOf(record, found) !== deployment_id && !isOfVersionBefore()) return isAdoptable() ? 'adopt' : 'foreign';
  if (record?.uid !== found.uid) return 'learn';
  return found.isTerminating ? 'terminating' : 'enter';

  /** Nobody of this platform has it. A record of another uid is left over from a namespace that was deleted. */
  function isAdoptable(): boolean {
    return adopts && found !== null && !found.isTerminating && ownerOf(record, found) === null;
  }

  /** The previous version relied on labels. During an upgrade, its runner may create one beside a record without a uid. */
  function isOfVersionBefore(): boolean {
    const isUnmade = record === null || (record.deployment_id === deployment_id && record.uid === null);
    return isUnmade && found?.mark === null && !isFirst && found.namedDeployment === deployment_id;
  }
}

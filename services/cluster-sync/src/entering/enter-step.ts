import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { type NamespaceRecord, ownerOf } from '../namespaces/namespace-record.ts';

export interface EnteringClaim {
  readonly deployment_id: string;
  /** A deploy makes the namespace; every other claim only finds it. */
  readonly makes: boolean;
  /** Nothing of the deployment was ever there, so no namespace of before records can be its own. */
  readonly isFirst: boolean;
}

/** How to get from what is recorded and found to what the claim wants; each step leaves a state from which the next attempt goes on. */
export type EnterStep =
  /** Record a new mark in place of what was read. */
  | 'record'
  /** Make the namespace with the recorded mark. */
  | 'make'
  /** Record the uid of the namespace, which an earlier attempt made, or the version before records. */
  | 'learn'
  | 'enter'
  | 'terminating'
  | 'absent'
  | 'foreign';

/** The table of `docs/decisions/0021`: record × found × claim. */
export function enterStep(
  record: NamespaceRecord | null,
  found: Pick<FoundNamespace, 'uid' | 'mark' | 'namedDeployment' | 'isTerminating'> | null,
  { deployment_id, makes, isFirst }: EnteringClaim,
): EnterStep {
  if (found === null) {
    if (!makes) return 'absent';
    // A recorded uid was that of a namespace which somebody deleted; a record of another deployment is left over.
    return record?.deployment_id === deployment_id && record.uid === null ? 'make' : 'record';
  }
  if (ownerOf(record, found) !== deployment_id && !isOfVersionBefore()) return 'foreign';
  if (record?.uid !== found.uid) return 'learn';
  return found.isTerminating ? 'terminating' : 'enter';

  /** The version before knew its namespaces by what they say. In an upgrade its runner may make one beside a record of this version. */
  function isOfVersionBefore(): boolean {
    const isUnmade = record === null || (record.deployment_id === deployment_id && record.uid === null);
    return isUnmade && found?.mark === null && !isFirst && found.namedDeployment === deployment_id;
  }
}

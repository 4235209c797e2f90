import { holderOf } from '@berth/contracts/fields/kubernetes-names';
import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { type NamespaceRecord, ownerOf } from '../namespaces/namespace-record.ts';
import type { FencedClaim } from './fence-step.ts';

/** `gone`: the namespace does not exist, or belongs to somebody else and stays. `taken over`: it names another claim. */
export type RemoveStep = 'gone' | 'wait' | 'delete' | 'taken over';

/** The next step of an uninstall that removes the namespace of its deployment. */
export function removeStep(
  record: NamespaceRecord | null,
  found: Pick<FoundNamespace, 'uid' | 'mark' | 'holder' | 'isTerminating'> | null,
  claim: FencedClaim & { readonly deployment_id: string },
): RemoveStep {
  if (found === null || ownerOf(record, found) !== claim.deployment_id) return 'gone';
  if (found.isTerminating) return 'wait';
  return found.holder === holderOf(claim) ? 'delete' : 'taken over';
}

import type { Operation } from '@berth/contracts/definition/contract';
import type { Recorded } from '@berth/contracts/definition/recorded';

type Changing = Pick<Operation, 'resource' | 'changesAlso' | 'mayChange'>;

/** How a change breaks its contract, in words; null if it does not. */
export function unlikeContract(
  { resource, changesAlso = [], mayChange = [] }: Changing,
  { outbox, audit }: Recorded,
): string | null {
  if (!audit.has(resource)) return `changed rows of ${resource} without a line in the audit log`;
  const unpublished = [resource, ...changesAlso].find((name) => !outbox.has(name));
  if (unpublished !== undefined) return `did not publish what became of ${unpublished}`;

  const known = [resource, ...changesAlso, ...mayChange];
  const unknown = [...outbox, ...audit].find((name) => !known.includes(name));
  return unknown === undefined ? null : `changed rows of ${unknown}, which its contract does not name`;
}

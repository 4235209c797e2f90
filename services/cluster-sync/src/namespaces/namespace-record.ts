import type { FoundNamespace } from './found-namespace.ts';

/** Berth's record of a namespace in a cluster. */
export interface NamespaceRecord {
  readonly deployment_id: string;
  /** Written into the namespace at its creation; null if it is older than these records. */
  readonly mark: string | null;
  /** Null if it is not known yet whether the namespace was created. */
  readonly uid: string | null;
  /** What the namespace had before Berth took it over; null if Berth created it. */
  readonly adopted?: ChangedMetadata | null;
}

/** Labels and annotations; null for those that it did not have. */
export interface ChangedMetadata {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/**
 * The deployment that owns the namespace; null if Berth did not create it. The proof is the recorded uid or, until it is recorded,
 * the mark, which nobody else knows before the namespace exists.
 */
export function ownerOf(
  record: NamespaceRecord | null | undefined,
  { uid, mark }: Pick<FoundNamespace, 'uid' | 'mark'>,
): string | null {
  if (!record) return null;
  const isProven = record.uid === null ? record.mark !== null && record.mark === mark : record.uid === uid;
  return isProven ? record.deployment_id : null;
}

import type { FoundNamespace } from './found-namespace.ts';

/** What Berth knows about the namespace of a name in a cluster. */
export interface NamespaceRecord {
  readonly deployment_id: string;
  /** Written into the namespace when it is made. Null: it was made before there were records. */
  readonly mark: string | null;
  /** Null: it is not known yet whether the namespace was made. */
  readonly uid: string | null;
}

/**
 * The deployment whose namespace this is; null if Berth did not make it. Its uid proves it. Until that is recorded the mark does,
 * which nobody else knows before the namespace exists.
 */
export function ownerOf(
  record: NamespaceRecord | null | undefined,
  { uid, mark }: Pick<FoundNamespace, 'uid' | 'mark'>,
): string | null {
  if (!record) return null;
  const isProven = record.uid === null ? record.mark !== null && record.mark === mark : record.uid === uid;
  return isProven ? record.deployment_id : null;
}

/** Names of the resources for which a transaction has recorded changes. */
export interface Recorded {
  readonly outbox: ReadonlySet<string>;
  readonly audit: ReadonlySet<string>;
  /** The ids of the rows of a resource that it added, in their order. */
  added(resource: string): string[];
}

/** Names of the resources for which a transaction has recorded changes. */
export interface Recorded {
  readonly outbox: ReadonlySet<string>;
  readonly audit: ReadonlySet<string>;
}

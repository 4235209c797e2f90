/** The tag or repository that a push event names; nothing else in the event is trusted. */
export interface PushHint {
  /** The registry's own name for itself, which may differ from the configured one. */
  host: string | null;
  repository: string;
  /** Null: scan the whole repository. */
  tag: string | null;
  /** The digest that the tag should have; null if the event has no supported digest. */
  digest: string | null;
}

/** Chart archives by digest; a cache like everything in NATS: what is missing is fetched again by its owner. */
export interface ObjectStore {
  /** Null if it is missing or does not match its digest. */
  get(digest: string, options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
  put(digest: string, bytes: Uint8Array): Promise<void>;
}

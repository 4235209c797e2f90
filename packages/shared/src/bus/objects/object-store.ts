/** Chart archives by digest; a cache like everything in NATS: what is missing is fetched again by its owner. */
export interface ObjectStore {
  /** Null where it is not there, or is not what its digest says. */
  get(digest: string, options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
  put(digest: string, bytes: Uint8Array): Promise<void>;
}

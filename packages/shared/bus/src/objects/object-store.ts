/** Chart archives by digest. The store is only a cache: the owner fetches missing archives again. */
export interface ObjectStore {
  /** Null if it is missing or does not match its digest. */
  get(digest: string, options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
  put(digest: string, bytes: Uint8Array): Promise<void>;
}

import { LRUCache } from 'lru-cache';
import { afterUse, type FullAt, leftOf, type Quota, waitOf } from './quota.ts';
import { TooManyRequests } from './too-many-requests.ts';

export interface RequestLimitOptions {
  /** The kind of key, such as an address; also the name of the policy in the headers. */
  by: 'identity' | 'address';
  /** How many units are added each minute; 0: no limit. See `cost.ts`. */
  perMinute: number;
  /** A burst may use the units of this many seconds. */
  burstSeconds: number;
  now?: () => number;
}

interface Reply {
  header(name: string, value: string): unknown;
}

/** Above this, the least recently used key is forgotten and has its whole quota again. */
const mostKeys = 10_000;
/** Limits requests and their cost at this replica. Refused requests are not counted, so a client that keeps sending is not locked out. */
export class RequestLimit {
  readonly #fullAt = new LRUCache<string, FullAt>({ max: mostKeys });
  readonly #by: RequestLimitOptions['by'];
  readonly #quota: Quota | null;
  readonly #policy: string;
  readonly #now: () => number;

  constructor({ by, perMinute, burstSeconds, now = () => performance.now() }: RequestLimitOptions) {
    this.#by = by;
    this.#quota = perMinute === 0 ? null : quotaOf(perMinute, burstSeconds);
    this.#policy = this.#quota ? `"${by}";q=${this.#quota.requests};w=${Math.ceil(this.#quota.windowMs / 1_000)}` : '';
    this.#now = now;
  }

  get keys(): number {
    return this.#fullAt.size;
  }

  refuseUsedUp(key: string, reply: Reply): void {
    if (!this.#quota) return;
    const waitMs = waitOf(this.#quota, this.#fullAt.get(key) ?? 0, this.#now());
    if (waitMs === 0) return;
    this.#setHeaders(reply, 0, waitMs);
    throw new TooManyRequests(`Too many requests of this ${this.#by}; wait, and try again`, waitMs);
  }

  /** Counts the cost of a request beyond its first unit. This may overdraw the quota, which lengthens the wait for the next one. */
  charge(key: string, units: number): void {
    if (!this.#quota || units === 0) return;
    const now = this.#now();
    this.#fullAt.set(key, afterUse(this.#quota, this.#fullAt.get(key) ?? 0, now, units));
  }

  /** Counts a request, or throws if none is left. The headers of the reply say how many are left. */
  take(key: string, reply: Reply): void {
    if (!this.#quota) return;
    this.refuseUsedUp(key, reply);
    const now = this.#now();
    const fullAt = afterUse(this.#quota, this.#fullAt.get(key) ?? 0, now);
    this.#fullAt.set(key, fullAt);
    const left = Math.max(0, leftOf(this.#quota, fullAt, now));
    this.#setHeaders(reply, left, left === 0 ? waitOf(this.#quota, fullAt, now) : fullAt - now);
  }

  /**
   * The headers of draft-ietf-httpapi-ratelimit-headers, with one policy. `t` is the time until the quota is full again, or, if
   * nothing is left, until the next request, as in Retry-After.
   */
  #setHeaders(reply: Reply, left: number, resetMs: number): void {
    reply.header('ratelimit-policy', this.#policy);
    reply.header('ratelimit', `"${this.#by}";r=${left};t=${Math.ceil(resetMs / 1_000)}`);
  }
}

/** Allows at least one request, however few are allowed per minute. */
function quotaOf(perMinute: number, burstSeconds: number): Quota {
  const requests = Math.max(1, Math.floor((perMinute * burstSeconds) / 60));
  return { requests, windowMs: (requests * 60_000) / perMinute };
}

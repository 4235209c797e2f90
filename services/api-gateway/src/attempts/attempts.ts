import { LRUCache } from 'lru-cache';
import { afterUse, exactlyLeftOf, type FullAt, type Quota, waitOf } from '../limits/quota.ts';
import { TooManyRequests } from '../limits/too-many-requests.ts';

export interface AttemptsOptions {
  /** Attempts in a burst, and attempts added each minute; 0: no limit. */
  perMinute: number;
  /** Called when a network has used up its attempts; not again until half of them have come back. */
  onUsedUp?: (network: string) => void;
  /** Called for each attempt that this replica counts, to inform the others. */
  onCount?: (network: string) => void;
  now?: () => number;
}

interface Used {
  fullAt: FullAt;
  /** Whether the bucket has been empty and not half full since. */
  isReported: boolean;
}

/** Above this, the least recently used bucket is dropped: an attacker with more networks has enough attempts anyway. */
const maxNetworks = 10_000;

export class Attempts {
  readonly #used = new LRUCache<string, Used>({ max: maxNetworks });
  readonly #quota: Quota | null;
  readonly #onUsedUp: (network: string) => void;
  readonly #onCount: (network: string) => void;
  readonly #now: () => number;

  constructor({ perMinute, onUsedUp, onCount, now }: AttemptsOptions) {
    this.#quota = perMinute === 0 ? null : { requests: perMinute, windowMs: 60_000 };
    this.#onUsedUp = onUsedUp ?? (() => undefined);
    this.#onCount = onCount ?? (() => undefined);
    this.#now = now ?? (() => performance.now());
  }

  get networks(): number {
    return this.#used.size;
  }

  refuseUsedUp(network: string): void {
    if (!this.#quota) return;
    const waitMs = waitOf(this.#quota, this.#used.get(network)?.fullAt ?? 0, this.#now());
    if (waitMs > 0) throw new TooManyRequests('Too many attempts from this address', waitMs);
  }

  /** Counts an attempt. Concurrent attempts may overdraw the bucket, which lengthens the wait for the next one. */
  count(network: string): void {
    if (!this.#quota) return;
    this.countElsewhere(network, 1);
    this.#onCount(network);
  }

  /** Counts attempts that another replica has seen. */
  countElsewhere(network: string, times: number): void {
    if (!this.#quota) return;
    const now = this.#now();
    const before = this.#used.get(network) ?? { fullAt: 0, isReported: false };
    const fullAt = afterUse(this.#quota, before.fullAt, now, times);
    const wasReported = before.isReported && exactlyLeftOf(this.#quota, before.fullAt, now) < this.#quota.requests / 2;
    const isUsedUp = exactlyLeftOf(this.#quota, fullAt, now) < 1;
    this.#used.set(network, { fullAt, isReported: wasReported || isUsedUp });
    if (isUsedUp && !wasReported) this.#onUsedUp(network);
  }
}

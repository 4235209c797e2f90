import { BoundedCache } from '@berth/shared/waiting/bounded-cache';
import { TooManyAttempts } from './too-many-attempts.ts';

export interface AttemptsOptions {
  /** The size of a burst, and how many attempts are added each minute. */
  perMinute: number;
  /** Called when a network has used up all of them, and not again before half of them have come back. */
  onUsedUp?: (network: string) => void;
  /** The clock, in ms. */
  now?: () => number;
}

interface Bucket {
  left: number;
  /** The time at which `left` was computed. */
  at: number;
  /** It was used up, and has not been half full since. */
  isReported: boolean;
}

/** Beyond it the least recently used bucket is dropped: an attacker with more networks has enough attempts anyway. */
const maxNetworks = 10_000;

/** Limits the attempts of each network with a token bucket. */
export class Attempts {
  readonly #buckets = new BoundedCache<Bucket>(maxNetworks);
  readonly #perMinute: number;
  readonly #onUsedUp: (network: string) => void;
  readonly #now: () => number;

  constructor({ perMinute, onUsedUp = () => undefined, now = () => performance.now() }: AttemptsOptions) {
    this.#perMinute = perMinute;
    this.#onUsedUp = onUsedUp;
    this.#now = now;
  }

  get networks(): number {
    return this.#buckets.size;
  }

  /** Throws where the network has no attempts left. */
  refuseUsedUp(network: string): void {
    const left = this.#left(network);
    if (left < 1) throw new TooManyAttempts(Math.ceil(((1 - left) * 60) / this.#perMinute));
  }

  /** Counts an attempt. Concurrent attempts may overdraw the bucket; then it takes longer until there is one again. */
  count(network: string): void {
    const before = this.#left(network);
    const left = Math.max(before - 1, -this.#perMinute);
    const wasReported = before < this.#perMinute / 2 && this.#buckets.get(network)?.isReported === true;
    this.#buckets.set(network, { left, at: this.#now(), isReported: wasReported || left < 1 });
    if (left < 1 && !wasReported) this.#onUsedUp(network);
  }

  #left(network: string): number {
    const bucket = this.#buckets.get(network);
    if (!bucket) return this.#perMinute;
    return Math.min(this.#perMinute, bucket.left + ((this.#now() - bucket.at) / 60_000) * this.#perMinute);
  }
}

import { TooManyAttempts } from './too-many-attempts.ts';

export interface AttemptsOptions {
  /** As many at once, and as many more in each minute. */
  perMinute: number;
  /** Called when a network has used up all of them. */
  onUsedUp?: (network: string) => void;
  /** In ms. */
  now?: () => number;
}

interface Bucket {
  left: number;
  /** When `left` was true. */
  at: number;
}

/** Beyond, the one that was quiet for longest is forgotten: an attacker with more networks has as many attempts anyway. */
const mostNetworks = 10_000;

/** Attempts of each network, in a bucket that fills up again as time passes. */
export class Attempts {
  readonly #buckets = new Map<string, Bucket>();
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

  /** Throws where the network has none left. */
  refuseUsedUp(network: string): void {
    const left = this.#left(network);
    if (left < 1) throw new TooManyAttempts(Math.ceil(((1 - left) * 60) / this.#perMinute));
  }

  /** Several at a time may use up more than there are; then it takes longer until there is one again. */
  count(network: string): void {
    const before = this.#left(network);
    const left = Math.max(before - 1, -this.#perMinute);
    // Taken out and put back, it is the last one to be forgotten.
    this.#buckets.delete(network);
    this.#buckets.set(network, { left, at: this.#now() });
    if (this.#buckets.size > mostNetworks) this.#buckets.delete(this.#buckets.keys().next().value ?? '');
    if (before >= 1 && left < 1) this.#onUsedUp(network);
  }

  #left(network: string): number {
    const bucket = this.#buckets.get(network);
    if (!bucket) return this.#perMinute;
    return Math.min(this.#perMinute, bucket.left + ((this.#now() - bucket.at) / 60_000) * this.#perMinute);
  }
}

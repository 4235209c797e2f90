/** A gateway that was listed as holding a lease when the change was already committed. */
export interface Holder {
  readonly gateway: string;
  /** Another after each renewal, and never one that this gateway had before. */
  readonly renewal: string;
  /** How long a lease of this gateway may last from now on, on the clock of auth. */
  readonly waitMs: number;
}

export interface AwaitedGateways {
  /** When the list had been read, on a clock of auth. */
  readonly readAt: number;
  readonly holders: readonly Holder[];
}

/** Clocks run at different speeds, and timers are off by some milliseconds. */
export const waitMsOf = (leaseMs: number): number => Math.ceil(leaseMs * 1.05) + 20;

/** Gateways that did not confirm: unreachable, paused or ended. Silence does not prove that one ended. */
export const unconfirmed = ({ holders }: AwaitedGateways, confirmed: ReadonlySet<string>): Holder[] =>
  holders.filter(({ gateway }) => !confirmed.has(gateway));

/** When every gateway has stopped reusing what it read before the change. */
export const answerableAt = (awaited: AwaitedGateways, confirmed: ReadonlySet<string>): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...unconfirmed(awaited, confirmed).map(({ waitMs }) => awaited.readAt + waitMs));

/** Whether a row may be removed after waiting for its holder: a row that was renewed meanwhile is a new lease. */
export const hasEnded = ({ renewal }: Pick<Holder, 'renewal'>, row: Pick<Holder, 'renewal'>): boolean =>
  row.renewal === renewal;

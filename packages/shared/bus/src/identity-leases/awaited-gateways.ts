/** A gateway whose lease was listed when the change had already been committed. */
export interface Holder {
  readonly gateway: string;
  /** New at each renewal; never a value that this gateway had before. */
  readonly renewal: string;
  /** How long the gateway's lease may still last, on the clock of auth. */
  readonly waitMs: number;
}

export interface AwaitedGateways {
  /** When the list had been read, on the clock of auth. */
  readonly readAt: number;
  readonly holders: readonly Holder[];
}

/** A margin: clocks run at different speeds, and timers are off by some milliseconds. */
export const waitMsOf = (leaseMs: number): number => Math.ceil(leaseMs * 1.05) + 20;

/** Gateways that did not confirm: they may be unreachable, paused or ended. Silence does not prove that a gateway has ended. */
export const unconfirmed = ({ holders }: AwaitedGateways, confirmed: ReadonlySet<string>): Holder[] =>
  holders.filter(({ gateway }) => !confirmed.has(gateway));

/** The time at which every gateway has stopped reusing what it read before the change. */
export const answerableAt = (awaited: AwaitedGateways, confirmed: ReadonlySet<string>): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...unconfirmed(awaited, confirmed).map(({ waitMs }) => awaited.readAt + waitMs));

/** Whether a row may be removed after the wait for its holder: if it was renewed meanwhile, it is a new lease. */
export const hasEnded = ({ renewal }: Pick<Holder, 'renewal'>, row: Pick<Holder, 'renewal'>): boolean =>
  row.renewal === renewal;

/**
 * The lease of a gateway: until when auth waits for the gateway before it answers a change, and how often the gateway had to
 * forget. All times are on one clock of the gateway. See docs/decisions/0015.
 */
export interface GatewayLease {
  readonly until: number;
  readonly generation: number;
}

/** Taken before a lookup is sent. The result may be reused until this time, unless the gateway has to forget meanwhile. */
export interface Ticket extends GatewayLease {
  readonly takenAt: number;
}

export const noLease: GatewayLease = { until: Number.NEGATIVE_INFINITY, generation: 0 };

/** Counted from before the request was sent, which is earlier than auth granted it. */
export const renewed = (lease: GatewayLease, sentAt: number, leaseMs: number): GatewayLease => ({
  ...lease,
  until: Math.max(lease.until, sentAt + leaseMs),
});

/** Forgets all cached results. The lease stays, since later lookups return the new state. */
export const forgetful = (lease: GatewayLease): GatewayLease => ({ ...lease, generation: lease.generation + 1 });

/** Null without a lease. A renewal prolongs the lease, but not tickets that were taken before it. */
export const ticketOf = (lease: GatewayLease, now: number): Ticket | null =>
  now < lease.until ? { ...lease, takenAt: now } : null;

/**
 * A ticket that also ends with the validity of the answer. The answer was read after the ticket was taken, so this errs on the
 * safe side.
 */
export const endingAfter = (ticket: Ticket, validMs: number): Ticket => ({
  ...ticket,
  until: Math.min(ticket.until, ticket.takenAt + validMs),
});

/** Whether a result that was looked up with this ticket may be reused now. */
export const mayReuse = (lease: GatewayLease, ticket: Ticket, now: number): boolean =>
  now < ticket.until && ticket.generation === lease.generation;

/** Leaves half of the remaining time for the answer. */
export const isRenewalDue = (lease: GatewayLease, now: number, leaseMs: number): boolean =>
  now >= lease.until - leaseMs / 2;

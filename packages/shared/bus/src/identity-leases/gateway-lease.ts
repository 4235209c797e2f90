/**
 * What a gateway holds: until when auth waits for it before a change is answered, and how often it had to forget. All
 * times are on one clock of the gateway. See docs/decisions/0015.
 */
export interface GatewayLease {
  readonly until: number;
  readonly generation: number;
}

/** Taken before a lookup is sent: what it returns may be reused until then, unless the gateway has to forget meanwhile. */
export interface Ticket extends GatewayLease {
  readonly takenAt: number;
}

export const noLease: GatewayLease = { until: Number.NEGATIVE_INFINITY, generation: 0 };

/** Counted from before the request was sent, because auth granted it later than that. */
export const renewed = (lease: GatewayLease, sentAt: number, leaseMs: number): GatewayLease => ({
  ...lease,
  until: Math.max(lease.until, sentAt + leaseMs),
});

/** Forgets what was read. The lease stays, since later reads are current. */
export const forgetful = (lease: GatewayLease): GatewayLease => ({ ...lease, generation: lease.generation + 1 });

/** Null without a lease. A renewal extends the lease, but not tickets that were taken before it. */
export const ticketOf = (lease: GatewayLease, now: number): Ticket | null =>
  now < lease.until ? { ...lease, takenAt: now } : null;

/** The ticket for an answer that is valid only that long. It was read after the ticket was taken, so this is on the safe side. */
export const endingAfter = (ticket: Ticket, validMs: number): Ticket => ({
  ...ticket,
  until: Math.min(ticket.until, ticket.takenAt + validMs),
});

/** Whether what was read with a ticket may be reused at this moment. */
export const mayReuse = (lease: GatewayLease, ticket: Ticket, now: number): boolean =>
  now < ticket.until && ticket.generation === lease.generation;

/** Half of the time is left for the answer. */
export const isRenewalDue = (lease: GatewayLease, now: number, leaseMs: number): boolean =>
  now >= lease.until - leaseMs / 2;

import type { GatewayLease, Ticket } from '@berth/bus/identity-leases/gateway-lease';

export interface Size {
  gateways: number;
  /** The number of auth replicas that work on a change. */
  changes: number;
  leaseTicks: number;
}

/** Times are relative to now, which keeps the number of states finite: a step of the clock changes them all. */
export interface Gateway {
  lease: GatewayLease;
  /** A cached identity with the removed right. Identities without it are harmless and left out. */
  entry: Ticket | null;
  lookup: { ticket: Ticket | null; hasRead: boolean } | null;
  renewal: { sentAt: number; isListed: boolean } | null;
  isListed: boolean;
}

export interface Awaited {
  gateway: number;
  state: 'sent' | 'forgot' | 'confirmed';
  /** The renewal in the row as it is now; `asRead` is the one in the list that was read. */
  renewal: 'asRead' | 'later';
}

export interface Change {
  /** Handles a change of another right, which also removes gateways from the list. */
  isOfOther: boolean;
  phase: 'idle' | 'listed early' | 'committed' | 'waiting';
  readAt: number;
  awaited: Awaited[];
}

export interface State {
  gateways: Gateway[];
  changes: Change[];
  isRemoved: boolean;
  isAnswered: boolean;
}

export const idle: Change = { isOfOther: false, phase: 'idle', readAt: 0, awaited: [] };

/** The state before the first step. */
export const startOf = (size: Size): State => ({
  gateways: Array.from({ length: size.gateways }, () => ({
    lease: { until: 0, generation: 0 },
    entry: null,
    lookup: null,
    renewal: null,
    isListed: false,
  })),
  changes: Array.from({ length: size.changes }, () => idle),
  isRemoved: false,
  isAnswered: false,
});

/** A short key, because there are hundreds of thousands of states. */
export function keyOf({ gateways, changes, isRemoved, isAnswered }: State): string {
  const ofTicket = (ticket: Ticket | null) =>
    ticket === null ? '-' : `${ticket.until}${ticket.generation === 0 ? '' : 'o'}`;
  const partOfGateway = (n: number): string => {
    const { lease, entry, lookup, renewal, isListed } = gateways[n] as Gateway;
    const ofLookup = lookup === null ? '' : `${ofTicket(lookup.ticket)}${lookup.hasRead ? 'r' : 's'}`;
    const ofRenewal = renewal === null ? '' : `${-renewal.sentAt}${renewal.isListed ? 'l' : 's'}`;
    return `${lease.until}|${ofTicket(entry)}|${ofLookup}|${ofRenewal}|${isListed ? 1 : 0}`;
  };
  const partOfChange = ({ isOfOther, phase, readAt, awaited }: Change): string =>
    `${isOfOther ? 'o' : ''}${phase[0]}${phase === 'waiting' ? -readAt : ''}${awaited.map((one) => `${one.gateway}${one.state[0]}${one.renewal[0]}`).join('')}`;
  const parts = [...gateways.keys()].map(partOfGateway);
  return `${isRemoved ? 1 : 0}${isAnswered ? 1 : 0}/${parts.join('/')}/${changes.map(partOfChange).join('/')}`;
}

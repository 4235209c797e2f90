import { answerableAt, type Holder, hasEnded } from '@berth/bus/identity-leases/awaited-gateways';
import { forgetful, mayReuse, renewed, type Ticket, ticketOf } from '@berth/bus/identity-leases/gateway-lease';
import type { Rule } from './protocol-rules.ts';
import { type Awaited, type Change, type Gateway, idle, type Size, type State } from './protocol-state.ts';

interface Step {
  name: string;
  next: State;
}

export interface Without {
  without?: Rule;
}

/**
 * The steps of the protocol. Some failures need no step of their own: a paused gateway takes no steps, a lost message is never
 * received, and a change of a killed replica returns to idle.
 */
export function protocolOf(size: Size, { without }: Without) {
  const holds = (rule: Rule): boolean => rule !== without;

  return { stepsFrom, isViolated };

  /** Whether a request that starts now would be served with the removed right although the removal was answered. */
  function isViolated({ isAnswered, gateways }: State): boolean {
    if (!isAnswered) return false;
    return gateways.some(
      (gateway) =>
        (gateway.entry !== null && isUsable(gateway, gateway.entry)) ||
        (!holds('no request joins the lookup of another') && gateway.lookup?.hasRead === true),
    );
  }

  function isUsable({ lease }: Gateway, entry: Ticket): boolean {
    if (!holds('the clock is read when an identity is used')) return mayReuse(lease, { ...entry, until: 1 }, 0);
    if (!holds('a renewal prolongs no ticket that was taken before'))
      return mayReuse(lease, { ...entry, until: lease.until }, 0);
    return mayReuse(lease, entry, 0);
  }

  function stepsFrom(state: State): Step[] {
    return [
      { name: 'clock', next: later(state) },
      ...state.gateways.flatMap((gateway, n) => stepsOfGateway(state, gateway, n)),
      ...state.changes.flatMap((change, n) => stepsOfChange(state, change, n)),
    ];
  }

  function stepsOfGateway(state: State, gateway: Gateway, n: number): Step[] {
    const { lease, lookup, renewal } = gateway;
    const to = (name: string, changed: Partial<Gateway>, changes = state.changes): Step => ({
      name: `gateway ${n}: ${name}`,
      next: { ...state, changes, gateways: state.gateways.with(n, tidy({ ...gateway, ...changed })) },
    });
    const steps: Step[] = [];

    if (renewal === null) steps.push(to('sends a renewal', { renewal: { sentAt: 0, isListed: false } }));
    else {
      if (!renewal.isListed) {
        const listed = { isListed: true, renewal: { ...renewal, isListed: true } };
        const changes = state.changes.map((change) => ({
          ...change,
          awaited: change.awaited.map((one) => (one.gateway === n ? { ...one, renewal: 'later' as const } : one)),
        }));
        steps.push(to('is listed', listed, changes));
      }
      if (renewal.isListed || !holds('a gateway is listed before it has the lease')) {
        const from = holds('a lease counts from before its renewal was sent') ? renewal.sentAt : 0;
        steps.push(to('has its lease', { renewal: null, lease: renewed(lease, from, size.leaseTicks) }));
      }
      steps.push(to('gives up the renewal', { renewal: null }));
    }

    if (lookup === null) {
      const takesEarly = holds('a ticket is taken before its lookup is sent');
      const ticket = takesEarly ? ticketOf(lease, 0) : null;
      // Without a ticket the result is not cached.
      if (ticket !== null || !takesEarly) steps.push(to('sends a lookup', { lookup: { ticket, hasRead: false } }));
    } else if (!lookup.hasRead) {
      // A request that reads the new right is harmless.
      steps.push(to('is looked up', { lookup: state.isRemoved ? null : { ...lookup, hasRead: true } }));
    } else {
      const ticket = lookup.ticket ?? ticketOf(lease, 0);
      const isCurrent = ticket !== null && mayReuse(lease, ticket, 0);
      const isKept = isCurrent || !holds('a result looked up before an invalidation is not kept');
      const entry = isKept && ticket ? { ...ticket, generation: lease.generation } : gateway.entry;
      steps.push(to('receives the result', { lookup: null, entry }));
    }

    for (const [m, change] of state.changes.entries())
      for (const awaited of change.awaited) {
        if (awaited.gateway !== n) continue;
        const changesWith = (now: Awaited['state']) =>
          state.changes.with(m, {
            ...change,
            awaited: change.awaited.map((one) => (one === awaited ? { ...one, state: now } : one)),
          });
        const forgets = holds('a gateway forgets before it confirms') ? { lease: forgetful(lease) } : {};
        if (awaited.state === 'sent') steps.push(to(`forgets for change ${m}`, forgets, changesWith('forgot')));
        if (awaited.state === 'forgot') steps.push(to(`has confirmed to change ${m}`, {}, changesWith('confirmed')));
      }
    return steps;
  }

  function stepsOfChange(state: State, change: Change, n: number): Step[] {
    const to = (name: string, changed: Partial<Change>, rest: Partial<State> = {}): Step => ({
      name: `change ${n}: ${name}`,
      next: {
        ...state,
        ...rest,
        // After the answer, only the gateways matter.
        changes: rest.isAnswered ? state.changes.map(() => idle) : state.changes.with(n, { ...change, ...changed }),
      },
    });
    if (state.isAnswered) return [];
    const lists = () => ({
      readAt: 0,
      awaited: state.gateways.flatMap(({ isListed }, gateway): Awaited[] =>
        isListed ? [{ gateway, state: 'sent', renewal: 'asRead' }] : [],
      ),
    });
    const isKilled = to('its replica is killed', idle);

    if (change.phase === 'idle') {
      if (!holds('a repeat that changes nothing waits as well') && state.isRemoved)
        return [to('is answered as a repeat', idle, { isAnswered: true })];
      return [
        to('commits another', { isOfOther: true, phase: 'committed' }),
        holds('the list is read after the commit')
          ? to('commits', { phase: 'committed' }, { isRemoved: true })
          : to('reads the list', { phase: 'listed early', ...lists() }),
      ];
    }
    if (change.phase === 'listed early')
      return [to('commits', { phase: 'waiting', readAt: 0 }, { isRemoved: true }), isKilled];
    if (change.phase === 'committed') return [to('reads the list', { phase: 'waiting', ...lists() }), isKilled];
    return [...stepsOfWaiting(state, change, to), isKilled];
  }

  function stepsOfWaiting(
    state: State,
    { isOfOther, readAt, awaited }: Change,
    to: (name: string, changed: Partial<Change>, rest?: Partial<State>) => Step,
  ): Step[] {
    const steps: Step[] = [];
    const confirmed = new Set(awaited.filter((one) => one.state === 'confirmed').map(({ gateway }) => String(gateway)));
    const holders = awaited.map(
      ({ gateway, renewal }): Holder => ({ gateway: String(gateway), renewal, waitMs: size.leaseTicks }),
    );
    const mayAnswer = answerableAt({ readAt, holders }, confirmed) <= 0;
    if (mayAnswer || !holds('a change waits for the gateways'))
      steps.push(to('is answered', idle, { isAnswered: !isOfOther }));

    for (const one of awaited) {
      if (one.state === 'confirmed') continue;
      const hasWaited = readAt + size.leaseTicks <= 0;
      const isUnchanged = hasEnded({ renewal: 'asRead' }, one);
      const leaves = to(
        `takes gateway ${one.gateway} off the list`,
        {},
        {
          gateways: state.gateways.map((gateway, g) => (g === one.gateway ? { ...gateway, isListed: false } : gateway)),
        },
      );
      if (
        (hasWaited || !holds('a gateway stays on the list until its lease has run out')) &&
        (isUnchanged || !holds('a gateway that has renewed meanwhile stays on the list'))
      )
        steps.push(leaves);
      if (!holds('a change also waits for a gateway that does not answer')) {
        const asIfConfirmed = awaited.map(
          (other): Awaited => (other === one ? { ...other, state: 'confirmed' } : other),
        );
        steps.push(to(`nobody answers for gateway ${one.gateway}`, { awaited: asIfConfirmed }));
      }
    }
    return steps;
  }

  function later(state: State): State {
    const earlier = (time: number) => Math.max(time - 1, -size.leaseTicks);
    return {
      ...state,
      gateways: state.gateways.map((gateway) =>
        tidy({
          ...gateway,
          lease: { ...gateway.lease, until: gateway.lease.until - 1 },
          entry: gateway.entry && { ...gateway.entry, until: gateway.entry.until - 1 },
          lookup: gateway.lookup && {
            ...gateway.lookup,
            ticket: gateway.lookup.ticket && { ...gateway.lookup.ticket, until: gateway.lookup.ticket.until - 1 },
          },
          renewal: gateway.renewal && { ...gateway.renewal, sentAt: earlier(gateway.renewal.sentAt) },
        }),
      ),
      changes: state.changes.map((change) =>
        change.phase === 'waiting' ? { ...change, readAt: earlier(change.readAt) } : change,
      ),
    };
  }

  /** Makes equivalent states equal: drops ended leases, and tickets from before an invalidation. */
  function tidy({ lease, entry, lookup, ...rest }: Gateway): Gateway {
    const aged = (ticket: Ticket): Ticket => ({
      until: Math.max(ticket.until, 0),
      generation: ticket.generation === lease.generation ? 0 : -1,
      takenAt: 0,
    });
    const outlives = !holds('the clock is read when an identity is used');
    const isProlonged = !holds('a renewal prolongs no ticket that was taken before');
    const isLate = !holds('a result looked up before an invalidation is not kept');
    const isDead = (ticket: Ticket): boolean =>
      (ticket.generation === -1 && !isLate) || (ticket.until <= 0 && !outlives && !isProlonged);
    const agedEntry = entry && aged(entry);
    const ticket = lookup?.ticket ? aged(lookup.ticket) : null;
    const isJoined = !holds('no request joins the lookup of another');
    return {
      ...rest,
      lease: { until: Math.max(lease.until, 0), generation: 0 },
      entry: agedEntry && !isDead(agedEntry) && agedEntry.generation === 0 ? agedEntry : null,
      lookup: lookup && ticket && isDead(ticket) && !isJoined ? null : lookup && { ...lookup, ticket },
    };
  }
}

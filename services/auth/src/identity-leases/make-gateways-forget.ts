import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@berth/bus/bus';
import { identityCaches } from '@berth/contracts/resources/accounts/identity-leases';
import type { Database } from '@berth/db/database';
import { answerableAt, type Holder, unconfirmed } from '@berth/bus/identity-leases/awaited-gateways';
import type { Service } from '@berth/service/service';
import { createIdentityLeaseRepository } from './identity-lease-repository.ts';
import { rightsChangeMetrics } from './rights-change-metrics.ts';

/** Resolves when no gateway reuses what it read before the call. */
export type MakeGatewaysForget = () => Promise<void>;

export interface MakeGatewaysForgetDeps extends Pick<Service, 'log' | 'metrics'> {
  db: Database;
  bus: Pick<Bus, 'call'>;
}

/** Call it after the commit: a gateway that registers after the list was read sees only committed rows. */
export function createMakeGatewaysForget({ db, bus, log, ...deps }: MakeGatewaysForgetDeps): MakeGatewaysForget {
  const identityLeaseRepository = createIdentityLeaseRepository(db);
  const metrics = rightsChangeMetrics(deps.metrics);

  return async () => {
    const holders = await identityLeaseRepository.holders();
    const readAt = performance.now();
    metrics.holders.set(holders.length);
    const confirmed = new Set<string>();
    await Promise.all(holders.map((holder) => confirm(holder, confirmed)));

    const ended = unconfirmed({ readAt, holders }, confirmed);
    if (ended.length > 0) {
      log.warn(
        { gateways: ended.map(({ gateway }) => gateway) },
        'waiting for the identity leases of gateways to run out',
      );
      await until(answerableAt({ readAt, holders }, confirmed));
      await removeEnded(ended);
    }
    metrics.waited.observe({ outcome: outcomeOf(holders, ended) }, (performance.now() - readAt) / 1_000);
  };

  async function confirm({ gateway, waitMs }: Holder, confirmed: Set<string>): Promise<void> {
    try {
      await bus.call(identityCaches.operations.forget, {}, { process: gateway, deadlineMs: waitMs });
      confirmed.add(gateway);
    } catch {
      // The change waits for its lease to run out instead.
    }
  }

  /** Only spares later changes the wait, so a failure is logged and ignored. */
  async function removeEnded(ended: readonly Holder[]): Promise<void> {
    await identityLeaseRepository.removeEnded(ended).catch((error: unknown) => {
      log.warn({ err: error }, 'identity leases that have ended were not removed');
    });
  }
}

const outcomeOf = (holders: readonly Holder[], ended: readonly Holder[]): string => {
  if (holders.length === 0) return 'no_lease';
  return ended.length === 0 ? 'confirmed' : 'ran_out';
};

/** A timer may fire a little early. */
async function until(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) await sleep(Math.ceil(left));
}

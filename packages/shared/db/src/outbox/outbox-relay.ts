import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { eventRow, isCopied } from '@berth/bus/state/event-row';
import type { StatePublisher } from '@berth/bus/state/publish-state';
import type { Resource, ServiceName } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { AppError } from '@berth/contracts/errors';
import type { Loop } from '@berth/service/service';
import type { Queries } from '../database.ts';
import { backOffMs } from '@berth/contracts/back-off';
import { dueEvery } from '@berth/service/waiting/due-every';
import { pause } from '@berth/service/waiting/pause';
import { type OutboxStore, outboxStore } from './outbox-store.ts';
import { publishBatch } from './publish-batch.ts';
import { RefusedMessages } from './refused-messages.ts';
import { republishPauses } from './republish-pauses.ts';
import { relayWakeUps } from './relay-wake-up.ts';
import { type TroubleLogger, troubleLog } from './trouble-log.ts';
import { watchStream } from './watch-stream.ts';
import { whileHolding } from '../leases/while-holding.ts';

export interface OutboxRelayOptions {
  db: Queries;
  bus: { readonly state: StatePublisher };
  /** Owner of the outbox. */
  owner: ServiceName;
  log: TroubleLogger;
  times?: Partial<typeof usualTimes>;
}

const usualTimes = {
  leaseMs: 10_000,
  heartbeatMs: 3_000,
  /** The shortest pause, even after a wake-up by a commit. */
  pollMs: 250,
  /** Delays a publication, so that a row that soon changes again is published once, and the answer to the request is sent first. */
  gatherMs: 50,
  streamCheckMs: 3_000,
  /** A follower requests the table after two mismatches, so it has all rows again within two minutes. */
  digestMs: 30_000,
  /** A digest between two publications would differ from every follower's, so it waits for a quiet moment, within a limit. */
  quietMs: 500,
  /** The pause between two republications of a resource; doubled while followers keep asking for it. */
  republishMs: 20_000,
  longestRepublishMs: 3_600_000,
  pruneMs: 3_600_000,
};

const batchSize = 200;
const parallel = 32;

const unquietDigestMs = 60_000;
const afterTrouble = { firstMs: 100, longestMs: 2_000 };

/** Publishes the changes that `recordState` wrote, in one process of the service at a time. */
export const outboxRelay =
  ({ db, bus, owner, log, times }: OutboxRelayOptions): Loop =>
  async (signal) => {
    const { leaseMs, heartbeatMs, ...relayTimes } = { ...usualTimes, ...times };
    const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
    const lease = { name: 'outbox relay', holder, ttlMs: leaseMs, heartbeatMs, marginMs: leaseMs / 5, signal };
    const owned = resources.filter((resource) => resource.owner === owner && resource.state);
    const copied = owned.filter(isCopied).map(({ name }) => name);
    const publish = publishing(bus.state, owned);
    const requested = new Map<string, number>();
    const trouble = troubleLog(log, 'the outbox relay cannot take its lease');

    bus.state.onRepublishRequest(async (resource, highest) => {
      // Every replica receives the request; the holder of the lease handles it, and the others drop it at their next attempt.
      if (copied.includes(resource)) requested.set(resource, Math.max(highest, requested.get(resource) ?? 0));
    });

    while (!signal.aborted) {
      requested.clear();
      await whileHolding(db, lease, (held) =>
        relay({
          store: outboxStore(db),
          state: bus.state,
          publish,
          copied,
          requested,
          log,
          times: relayTimes,
          signal: held,
        }),
      ).then(trouble.fine, trouble.failed);
      await pause(leaseMs / 10, signal);
    }
  };

/** State is published before the event, so that a watcher that then reads from other services finds the change. */
const publishing =
  (state: StatePublisher, owned: readonly Resource[]): StatePublisher['publish'] =>
  async (message) => {
    const resource = owned.find(({ name }) => name === message.resource);
    if (!resource) throw new AppError('unprocessable', `${message.resource} is no longer published`);
    if (isCopied(resource)) await state.publish(message);
    await state.announce({ ...message, row: eventRow(resource, Object(message.row)) });
  };

interface RelayOptions {
  store: OutboxStore;
  state: StatePublisher;
  publish: StatePublisher['publish'];
  /** Resources with a projection in other services. For all others only events are published, and their rows leave the outbox. */
  copied: readonly string[];
  /** Resources that followers requested again, with the followers' highest version. */
  requested: Map<string, number>;
  log: TroubleLogger;
  times: Omit<typeof usualTimes, 'leaseMs' | 'heartbeatMs'>;
  signal: AbortSignal;
}

async function relay({ store, state, publish, copied, requested, log, times, signal }: RelayOptions): Promise<void> {
  using wakeUps = relayWakeUps();
  const refused = new RefusedMessages(log);
  const trouble = troubleLog(log, 'state changes wait to be published');
  const mayRepublish = republishPauses(times);
  const watch = watchStream({ store, state, copied, log, signal });
  const streamCheck = dueEvery(times.streamCheckMs, { firstAfterMs: 0 });
  const digest = dueEvery(times.digestMs);
  const pruning = dueEvery(times.pruneMs);
  let publishedAt = 0;
  let failures = 0;

  const publishNext = async (): Promise<number> => {
    const messages = await store.unpublished(batchSize, refused.waiting());
    if (messages.length === 0) return 0;
    const { acked, refused: now, outage } = await publishBatch(messages, publish, { parallel, signal });
    await store.markPublished(acked);
    refused.add(now);
    publishedAt = performance.now();
    if (outage !== undefined) throw outage;
    return acked.length;
  };

  const publishAgain = async (resource: string, highest: number): Promise<void> => {
    // One republication serves all followers; any that still differs asks again.
    requested.delete(resource);
    if (!mayRepublish(resource)) return;
    log.info({ resource, highest }, 'a projection of a resource differs: publishing it again with new versions');
    await store.renewVersions(resource, highest, signal);
    digest.now();
  };

  const turn = async (): Promise<void> => {
    if (streamCheck.due()) await watch();
    for (const [resource, highest] of requested) await publishAgain(resource, highest);
    const published = await publishNext();

    const quiet = performance.now() - publishedAt > times.quietMs;
    if ((quiet || digest.overdueMs() > unquietDigestMs) && digest.due()) {
      for (const next of await store.digests(copied)) state.publishDigest(next);
    }
    if (pruning.due()) await store.prune(copied, signal);
    // Commits during the work have already set off the wake-up.
    if (published < batchSize) await wakeUps.next({ ms: times.pollMs, gatherMs: times.gatherMs }, signal);
  };

  while (!signal.aborted) {
    try {
      await turn();
      failures = 0;
      trouble.fine();
    } catch (error) {
      if (signal.aborted) return;
      trouble.failed(error);
      streamCheck.now();
      failures += 1;
      await pause(backOffMs(afterTrouble, failures), signal);
    }
  }
}

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventRow, isCopied } from '../../bus/state/event-row.ts';
import type { StatePublisher } from '../../bus/state/publish-state.ts';
import type { Resource, ServiceName } from '../../contracts/contract.ts';
import { resources } from '../../contracts/index.ts';
import { AppError } from '../../errors.ts';
import type { Loop } from '../../service/service.ts';
import type { Queries } from '../database.ts';
import { dueEvery } from '../leases/due-every.ts';
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
  /** Whose outbox it is. */
  owner: ServiceName;
  log: TroubleLogger;
  times?: Partial<typeof usualTimes>;
}

const usualTimes = {
  leaseMs: 10_000,
  heartbeatMs: 3_000,
  /** The floor under the wake-up after a commit. */
  pollMs: 250,
  /** A row that changes again at once is published once, and what was asked for goes before what is told of it. */
  gatherMs: 50,
  streamCheckMs: 3_000,
  /** A copy complains after two that differ, and then has all rows again: within two minutes with time to spare. */
  digestMs: 30_000,
  /** A digest taken between two publications would differ for every follower, so it waits for a quiet moment, but not for ever. */
  quietMs: 500,
  /** Between two publications of a resource that followers ask for; doubled while they keep asking. */
  republishMs: 20_000,
  longestRepublishMs: 3_600_000,
  pruneMs: 3_600_000,
};

const batchSize = 200;
const parallel = 32;

const unquietDigestMs = 60_000;

/** Publishes what `recordState` wrote, in one process of the service at a time. */
export const outboxRelay =
  ({ db, bus, owner, log, times }: OutboxRelayOptions): Loop =>
  async (signal) => {
    const { leaseMs, heartbeatMs, ...relayTimes } = { ...usualTimes, ...times };
    const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
    const lease = { name: 'outbox relay', holder, ttlMs: leaseMs, heartbeatMs, marginMs: leaseMs / 5, signal };
    const owned = resources.filter((resource) => resource.owner === owner && resource.state);
    const copied = owned.filter(isCopied).map(({ name }) => name);
    const publish = publishing(bus.state, owned);
    const asked = new Map<string, number>();
    const trouble = troubleLog(log, 'the outbox relay cannot take its lease');

    bus.state.onRepublishRequest(async (resource, highest) => {
      // Every replica is told; the one that holds the lease does it, the others forget it at their next attempt.
      if (copied.includes(resource)) asked.set(resource, Math.max(highest, asked.get(resource) ?? 0));
    });

    while (!signal.aborted) {
      asked.clear();
      await whileHolding(db, lease, (held) =>
        relay({
          store: outboxStore(db),
          state: bus.state,
          publish,
          copied,
          asked,
          log,
          times: relayTimes,
          signal: held,
        }),
      ).then(trouble.fine, trouble.failed);
      await sleep(leaseMs / 10, undefined, { signal }).catch(() => undefined);
    }
  };

/** A row goes to the copies of it before those who watch hear of it, and look at what other services show. */
const publishing =
  (state: StatePublisher, owned: readonly Resource[]): StatePublisher['publish'] =>
  async (message) => {
    const resource = owned.find(({ name }) => name === message.resource);
    if (!resource) throw new AppError('unprocessable', `Nobody follows ${message.resource} any more`);
    if (isCopied(resource)) await state.publish(message);
    await state.announce({ ...message, row: eventRow(resource, Object(message.row)) });
  };

interface RelayOptions {
  store: OutboxStore;
  state: StatePublisher;
  publish: StatePublisher['publish'];
  /** Resources that other services keep copies of. Of the others only events are published, and nothing is kept. */
  copied: readonly string[];
  /** Resources that followers want published again, with the highest version that they have. */
  asked: Map<string, number>;
  log: TroubleLogger;
  times: Omit<typeof usualTimes, 'leaseMs' | 'heartbeatMs'>;
  signal: AbortSignal;
}

async function relay({ store, state, publish, copied, asked, log, times, signal }: RelayOptions): Promise<void> {
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
    // Others that complained of the same are helped by the same publication; whoever was not will ask again.
    asked.delete(resource);
    if (!mayRepublish(resource)) return;
    log.info({ resource, highest }, 'a copy of a resource differs: publishing it again with new versions');
    await store.renewVersions(resource, highest, signal);
    digest.now();
  };

  const turn = async (): Promise<void> => {
    if (streamCheck.due()) await watch();
    for (const [resource, highest] of asked) await publishAgain(resource, highest);
    const published = await publishNext();

    const quiet = performance.now() - publishedAt > times.quietMs;
    if ((quiet || digest.overdueMs() > unquietDigestMs) && digest.due()) {
      for (const told of await store.digests(copied)) state.publishDigest(told);
    }
    if (pruning.due()) await store.prune(copied, signal);
    // What was committed meanwhile has woken us already.
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
      await sleep(Math.min(2_000, 100 * 2 ** failures++), undefined, { signal }).catch(() => undefined);
    }
  }
}

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatePublisher } from '../bus/publish-state.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { resources } from '../contracts/index.ts';
import type { Loop } from '../service/service.ts';
import type { Queries } from './database.ts';
import { dueEvery } from './due-every.ts';
import { type OutboxStore, outboxStore } from './outbox-store.ts';
import { publishBatch } from './publish-batch.ts';
import { RefusedMessages } from './refused-messages.ts';
import { relayWakeUps } from './relay-wake-up.ts';
import { type TroubleLogger, troubleLog } from './trouble-log.ts';
import { watchStream } from './watch-stream.ts';
import { whileHolding } from './while-holding.ts';

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
  digestMs: 60_000,
  /** At most one publication of a resource asked for by followers in this time. */
  republishMs: 60_000,
  pruneMs: 3_600_000,
};

const batchSize = 200;
const parallel = 32;

/** A digest taken between two publications would differ for every follower, so it waits for a quiet moment, but not for ever. */
const quietMs = 500;
const unquietDigestMs = 240_000;

/** Publishes what `recordState` wrote, in one process of the service at a time. */
export const outboxRelay =
  ({ db, bus, owner, log, times }: OutboxRelayOptions): Loop =>
  async (signal) => {
    const { leaseMs, heartbeatMs, ...relayTimes } = { ...usualTimes, ...times };
    const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
    const lease = { name: 'outbox relay', holder, ttlMs: leaseMs, heartbeatMs, marginMs: leaseMs / 5, signal };
    const owned = resources.filter((resource) => resource.owner === owner && resource.state).map(({ name }) => name);
    const asked = new Set<string>();
    const trouble = troubleLog(log, 'the outbox relay cannot take its lease');

    bus.state.onRepublishAsked(async (resource) => {
      // Every replica is told; the one that holds the lease does it, the others forget it at their next attempt.
      if (owned.includes(resource)) asked.add(resource);
    });

    while (!signal.aborted) {
      asked.clear();
      await whileHolding(db, lease, (held) =>
        relay({ store: outboxStore(db), state: bus.state, owned, asked, log, times: relayTimes, signal: held }),
      ).then(trouble.fine, trouble.failed);
      await sleep(leaseMs / 10, undefined, { signal }).catch(() => undefined);
    }
  };

interface RelayOptions {
  store: OutboxStore;
  state: StatePublisher;
  owned: readonly string[];
  /** Resources that followers want published again. */
  asked: Set<string>;
  log: TroubleLogger;
  times: Omit<typeof usualTimes, 'leaseMs' | 'heartbeatMs'>;
  signal: AbortSignal;
}

async function relay({ store, state, owned, asked, log, times, signal }: RelayOptions): Promise<void> {
  using wakeUps = relayWakeUps();
  const refused = new RefusedMessages(log);
  const trouble = troubleLog(log, 'state changes wait to be published');
  const answeredAt = new Map<string, number>();
  const streamCheck = dueEvery(times.streamCheckMs, { firstAfterMs: 0 });
  const digest = dueEvery(times.digestMs);
  const pruning = dueEvery(times.pruneMs);
  let publishedAt = 0;
  let failures = 0;

  const publishNext = async (): Promise<number> => {
    const messages = await store.unpublished(batchSize, refused.waiting());
    if (messages.length === 0) return 0;
    const { acked, refused: now, outage } = await publishBatch(messages, state.publish, { parallel, signal });
    await store.markPublished(acked);
    refused.add(now);
    publishedAt = performance.now();
    if (outage !== undefined) throw outage;
    return acked.length;
  };

  const publishAgain = async (resource: string): Promise<void> => {
    if (performance.now() - (answeredAt.get(resource) ?? Number.NEGATIVE_INFINITY) < times.republishMs) return;
    log.info({ resource }, 'a follower asked for the state of a resource: publishing it again');
    asked.delete(resource);
    answeredAt.set(resource, performance.now());
    await store.clearMarks(signal, resource);
  };

  const turn = async (): Promise<void> => {
    if (streamCheck.due()) await watchStream({ store, state, log, signal });
    for (const resource of asked) await publishAgain(resource);
    const published = await publishNext();

    const quiet = performance.now() - publishedAt > quietMs;
    if ((quiet || digest.overdueMs() > unquietDigestMs) && digest.due()) {
      for (const told of await store.digests(owned)) state.publishDigest(told);
    }
    if (pruning.due()) await store.pruneTombstones();
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

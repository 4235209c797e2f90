import { backOffMs } from '@berth/contracts/back-off';
import type { Loop } from '@berth/service/service';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { pause } from '@berth/service/waiting/pause';
import type { EventQueue, QueueMessage } from '../connection/event-queue.ts';
import type { PushHint } from '../connection/push-hint.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScanMetrics } from '../polling/scan-metrics.ts';
import { wordsOf } from '../connection/words-of.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { afterFailure, type Verdict } from './after-failure.ts';
import { registriesFor } from './registries-for.ts';
import { scanHinted } from './scan-hinted.ts';

export interface FollowQueueDeps {
  scan: ScanDeps;
  /** Names it in log and metrics. */
  name: string;
  queue: EventQueue;
  /** The registries that report to it, as its messages name them. */
  registries: ReadonlyMap<string, ScannedRegistry>;
  pollRepository: Pick<PollRepository, 'queueAnswers' | 'queueFailed'>;
  metrics: Pick<ScanMetrics, 'handled'>;
}

const atOnce = 4;
const deadlineMs = 120_000;
/** Messages of a replica that was killed come back after it. */
const hiddenMs = deadlineMs + 30_000;
/** A registry may report a push before its tag is visible. */
const notVisibleMs = 3_000;
const pauses = { firstMs: 1_000, longestMs: 60_000, jitter: 0.2 };
/** A queue that answers at once that it is empty is not asked in a circle. */
const leastMs = 500;

/** Receives messages and scans what they name. A message is removed only after its effect is committed. */
export const followQueue =
  ({ scan, name, queue, registries, pollRepository, metrics }: FollowQueueDeps): Loop =>
  async (signal) => {
    const { log } = scan;
    const keys = Array.from(registries.values(), ({ key }) => key);
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        const messages = await queue.receive(hiddenMs, signal);
        await noteAnswer();
        await handleAll(messages);
        if (messages.length === 0) await pause(leastMs - (performance.now() - startedAt), signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        log.warn({ err: error, queue: name, failures }, 'receiving push events from a queue failed');
        await pollRepository
          .queueFailed(keys, `push events cannot be received: ${wordsOf(error)}`)
          .catch((err: unknown) => log.warn({ err, queue: name }, 'an outage of a queue could not be recorded'));
        await pause(backOffMs(pauses, failures), signal);
      }
    }

    /** Its failure does not keep the messages that were received from being handled; the next answer repeats it. */
    async function noteAnswer(): Promise<void> {
      try {
        await pollRepository.queueAnswers(keys, failures > 0);
        failures = 0;
      } catch (err) {
        log.warn({ err, queue: name }, 'the end of an outage of a queue could not be recorded');
      }
    }

    async function handleAll(messages: readonly QueueMessage[]): Promise<void> {
      const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
      // Deletions of many tags name the same repository, which is scanned once for all of them.
      const alike = Map.groupBy(messages, ({ content }) => JSON.stringify(content));
      await eachAtMost(atOnce, [...alike.values()], async (group) => {
        const [first] = group;
        if (!first) return;
        const receives = Math.max(...group.map((message) => message.receives));
        const verdict = await verdictOn({ ...first, receives }, within);
        if (signal.aborted) return;
        for (const message of group) await carryOut(message, verdict);
      });
    }

    async function verdictOn({ content, receives }: QueueMessage, within: AbortSignal): Promise<Verdict> {
      if ('refused' in content) return { is: 'buried', reason: content.refused };
      if (content.hint === null) return { is: 'done' };
      const { hint } = content;
      const registry = registries.get(hint.host ?? '');
      if (!registry) return { is: 'buried', reason: `no registry with this queue is configured: ${hint.host}` };
      try {
        const isFound = !isScanned(registry, hint) || (await scanHinted(scan, registry, hint, within));
        return isFound || receives > 1 ? { is: 'done' } : { is: 'later', afterMs: notVisibleMs };
      } catch (error) {
        const verdict = afterFailure(error, receives);
        if (!signal.aborted)
          log.warn({ err: error, queue: name, ...hint, receives }, 'scanning after a push event failed');
        return verdict;
      }
    }

    async function carryOut(message: QueueMessage, verdict: Verdict): Promise<void> {
      if (verdict.is === 'done') await queue.remove(message, signal);
      else if (verdict.is === 'later') await queue.postpone(message, verdict.afterMs, signal);
      else {
        log.warn({ queue: name, reason: verdict.reason }, 'a push event became a dead letter');
        await queue.bury(message, verdict.reason, signal);
      }
      metrics.handled(name, verdict.is);
    }
  };

const isScanned = (registry: ScannedRegistry, { repository }: PushHint): boolean =>
  registriesFor({ host: registry.source.domain, repository }, [registry]).length > 0;

import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import type { HintRepository, TakenHint } from './hint-repository.ts';
import { scanHinted } from './scan-hinted.ts';

export interface ProcessHintsDeps {
  scan: ScanDeps;
  /** The registry with this key; undefined if it is no longer scanned. */
  registryOf: (key: string) => ScannedRegistry | undefined;
  hints: Omit<HintRepository, 'add'>;
  wakeUp: WakeUp;
  pollRepository: Pick<PollRepository, 'makeDue'>;
}

const atOnce = 4;
/** A slow registry must leave room for the hints of others. */
const atOnceOfRegistry = 2;
const deadlineMs = 120_000;
/** Hints of a replica that was killed come back after it. */
const backAfterMs = deadlineMs + 30_000;
/** Another replica may have left a hint. */
const longestWaitMs = 5_000;
const shortestWaitMs = 20;
/**
 * Pauses before the second attempt, the third, … A registry sends its push event before the tag is visible, so a tag that
 * is missing at first may appear a moment later. So may a created registry, in the replica that took the hint.
 */
const pausesMs = [100, 400, 2_000, 10_000];
/** More attempts than that have ended with their replicas: perhaps by what the registry answers. */
const mostAttempts = 10;

/** Scans the repositories and tags that push events named. A failure is left to the poll, which is made due at once. */
export const processHints =
  ({ scan, registryOf, hints, wakeUp, pollRepository }: ProcessHintsDeps): Loop =>
  async (signal, reporter) => {
    const running = new Map<TakenHint, Promise<void>>();
    const isFull = () => running.size >= atOnce;

    const startDue = every(1, async () => {
      while (!isFull() && !signal.aborted) {
        const hint = await hints.take(backAfterMs, busyKeys());
        if (!hint) break;
        running.set(hint, finish(hint));
      }
      await wakeUp.wait(isFull() ? longestWaitMs : await untilNext());
    });
    await startDue(signal, reporter);
    await Promise.all(running.values());

    function busyKeys(): string[] {
      const byKey = [...Map.groupBy(running.keys(), ({ key }) => key)];
      return byKey.flatMap(([key, { length }]) => (length >= atOnceOfRegistry ? [key] : []));
    }

    async function untilNext(): Promise<number> {
      const ms = (await hints.nextInMs(busyKeys())) ?? longestWaitMs;
      return Math.min(Math.max(ms, shortestWaitMs), longestWaitMs);
    }

    async function finish(hint: TakenHint): Promise<void> {
      await handle(hint).catch((error: unknown) => {
        scan.log.warn({ err: error, ...hint }, 'a push event could not be ended and will be handled again');
      });
      running.delete(hint);
      wakeUp.wake();
    }

    async function handle(hint: TakenHint): Promise<void> {
      if (hint.attempt > mostAttempts) return leaveToPoll(hint);
      try {
        const pause = (await isFound(hint)) ? undefined : pausesMs[hint.attempt - 1];
        if (pause === undefined) await hints.remove(hint);
        else await hints.putBack(hint, pause);
      } catch (error) {
        if (signal.aborted) return void (await hints.putBack(hint, 0));
        scan.log.warn({ err: error, ...hint }, 'scanning after a push event failed');
        await leaveToPoll(hint);
      }
    }

    async function leaveToPoll(hint: TakenHint): Promise<void> {
      await pollRepository.makeDue(hint.key);
      await hints.remove(hint);
    }

    async function isFound(hint: TakenHint): Promise<boolean> {
      const registry = registryOf(hint.key);
      if (!registry) return false;
      return scanHinted(scan, registry, hint, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
    }
  };

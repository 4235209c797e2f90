import type { Loop } from '@berth/shared/service/service';
import type { WakeUp } from '@berth/shared/waiting/wake-up';
import pMap from 'p-map';
import { lookAtTag } from '../scan/scan-tag.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScanDeps, WatchedRegistry } from '../scan/scan-deps.ts';
import { scanRepository } from '../scan/scan-repository.ts';
import type { HintQueue, ScanHint } from './hint-queue.ts';

export interface FollowHintsDeps {
  scan: ScanDeps;
  registries: ReadonlyMap<string, WatchedRegistry>;
  queue: HintQueue;
  wakeUp: WakeUp;
  pollRepository: Pick<PollRepository, 'hasten'>;
}

const atOnce = 4;
const deadlineMs = 120_000;
const longestWaitMs = 60_000;

/**
 * Before the second look, the third, … A registry tells of a push before the tag is there for others to see, and what is
 * not there then may be a moment later.
 */
const pausesMs = [100, 400, 2_000, 10_000];

/** Looks where registries said that something was pushed. What fails is left to the poll, which comes at once then. */
export const followHints =
  ({ scan, registries, queue, wakeUp, pollRepository }: FollowHintsDeps): Loop =>
  async (signal) => {
    while (!signal.aborted) {
      const hints = queue.take(atOnce);
      if (hints.length === 0) await wakeUp.wait(Math.min(queue.nextInMs(), longestWaitMs));
      await pMap(hints, follow);
    }

    async function follow(hint: ScanHint): Promise<void> {
      const registry = registries.get(hint.domain);
      if (!registry || signal.aborted) return;
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
        if (await look(registry, hint, within)) return;
        const pause = pausesMs[hint.attempt - 1];
        if (pause !== undefined) queue.add({ ...hint, attempt: hint.attempt + 1 }, pause);
      } catch (error) {
        if (signal.aborted) return;
        scan.log.warn({ err: error, ...hint }, 'what was pushed could not be looked at');
        await pollRepository.hasten(hint.domain).catch(() => undefined);
      }
    }

    /** Whether that is there which should be. */
    async function look(registry: WatchedRegistry, { repository, tag, digest }: ScanHint, within: AbortSignal) {
      if (tag === null) {
        await scanRepository(scan, registry, repository, within);
        return true;
      }
      const seen = await lookAtTag(scan, registry, { repository, tag }, within);
      return seen !== null && (digest === null || seen === digest);
    }
  };

import type { Loop } from '@berth/shared/service/service';
import type { WakeUp } from '@berth/shared/service/wake-up';
import pMap from 'p-map';
import { lookAtTag } from '../scan/look-at-tag.ts';
import type { PollRepository } from '../scan/poll-repository.ts';
import type { ScanDeps, WatchedRegistry } from '../scan/scan-deps.ts';
import { scanRepository } from '../scan/scan-repository.ts';
import type { HintQueue, ScanHint } from './hint-queue.ts';

export interface FollowHintsDeps {
  scan: ScanDeps;
  registries: ReadonlyMap<string, WatchedRegistry>;
  queue: Pick<HintQueue, 'take'>;
  wakeUp: WakeUp;
  pollRepository: Pick<PollRepository, 'hasten'>;
}

const atOnce = 4;
const deadlineMs = 120_000;

/** Looks where registries said that something was pushed. What fails is left to the poll, which comes at once then. */
export const followHints =
  ({ scan, registries, queue, wakeUp, pollRepository }: FollowHintsDeps): Loop =>
  async (signal) => {
    while (!signal.aborted) {
      const hints = queue.take(100);
      if (hints.length === 0) await wakeUp.wait(60_000);
      await pMap(hints, follow, { concurrency: atOnce });
    }

    async function follow(hint: ScanHint): Promise<void> {
      const registry = registries.get(hint.domain);
      if (!registry || signal.aborted) return;
      const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
      const { repository, tag } = hint;
      try {
        if (tag === null) await scanRepository(scan, registry, repository, within);
        else await lookAtTag(scan, registry, { repository, tag }, within);
      } catch (error) {
        if (signal.aborted) return;
        scan.log.warn({ err: error, ...hint }, 'what was pushed could not be looked at');
        await pollRepository.hasten(hint.domain).catch(() => undefined);
      }
    }
  };

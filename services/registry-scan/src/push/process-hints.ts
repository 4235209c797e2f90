import type { Loop } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import type { HintQueue, ScanHint } from './hint-queue.ts';
import { scanHinted } from './scan-hinted.ts';

export interface ProcessHintsDeps {
  scan: ScanDeps;
  /** The registry with this key; undefined if it is no longer scanned. */
  registryOf: (key: string) => ScannedRegistry | undefined;
  queue: HintQueue;
  wakeUp: WakeUp;
  pollRepository: Pick<PollRepository, 'makeDue'>;
}

const atOnce = 4;
const deadlineMs = 120_000;
const longestWaitMs = 60_000;

/**
 * Pauses before the second attempt, the third, … A registry sends its push event before the tag is visible, so a tag that
 * is missing at first may appear a moment later.
 */
const pausesMs = [100, 400, 2_000, 10_000];

/** Scans the repositories and tags that push events named. A failure is left to the poll, which is made due at once. */
export const processHints =
  ({ scan, registryOf, queue, wakeUp, pollRepository }: ProcessHintsDeps): Loop =>
  async (signal) => {
    while (!signal.aborted) {
      const hints = queue.take(atOnce);
      if (hints.length === 0) await wakeUp.wait(Math.min(queue.nextInMs(), longestWaitMs));
      await Promise.all(hints.map(processHint));
    }

    async function processHint(hint: ScanHint): Promise<void> {
      const registry = registryOf(hint.key);
      if (!registry || signal.aborted) return;
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
        if (await scanHinted(scan, registry, hint, within)) return;
        const pause = pausesMs[hint.attempt - 1];
        if (pause !== undefined) queue.add({ ...hint, attempt: hint.attempt + 1 }, pause);
      } catch (error) {
        if (signal.aborted) return;
        scan.log.warn({ err: error, ...hint }, 'scanning after a push event failed');
        await pollRepository.makeDue(hint.key).catch(() => undefined);
      }
    }
  };

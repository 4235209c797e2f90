import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';

const lookEveryMs = 1_000;
const gatherMs = 200;
const mostReported = 64;

/** Work for deployments that took long the last time has places of its own, so that they delay one another only. */
export type Lane = 'quick' | 'slow';

export interface LanesOptions<Job, Result> {
  /** For the log. */
  what: string;
  log: Pick<Service['log'], 'debug'>;
  /** Jobs at the same time; a quarter of the places are for the slow ones. */
  places: number;
  mostClaimed: number;
  /** Claim as many jobs again before there are places for them, so that a place never waits for a claim. Their leases must last for two jobs. */
  ahead?: boolean;
  claim(lane: Lane, most: number): Promise<readonly Job[]>;
  work(job: Job, signal: AbortSignal): Promise<Result>;
  report(results: Result[]): Promise<unknown>;
  /** At the end: what was claimed and not done, and what was done and not reported, at most as many as one report has. */
  giveBack?(jobs: readonly Job[], results: readonly Result[]): Promise<unknown>;
}

/**
 * Does what is due, as much at a time as there are places. What cannot be reported is done again when its lease is over, and so
 * is what the end cuts off, unless it can be given back.
 */
export const workInLanes =
  <Job, Result>({
    what,
    log,
    places,
    mostClaimed,
    ahead = false,
    claim,
    work,
    report,
    giveBack,
  }: LanesOptions<Job, Result>): Loop =>
  async (signal) => {
    const all = { slow: Math.ceil(places / 4), quick: places - Math.ceil(places / 4) };
    const running = { quick: 0, slow: 0 };
    const waiting: Record<Lane, Job[]> = { quick: [], slow: [] };
    const begun = new Set<Job>();
    const results: Result[] = [];
    const { wake, wait } = createWakeUp(signal);

    async function workOn(job: Job): Promise<void> {
      begun.add(job);
      const result = await work(job, signal);
      if (signal.aborted) return;
      results.push(result);
      begun.delete(job);
    }

    function fillPlaces(lane: Lane): void {
      while (running[lane] < all[lane] && !signal.aborted) {
        const job = waiting[lane].shift();
        if (job === undefined) return;
        running[lane] += 1;
        void workOn(job).finally(() => {
          running[lane] -= 1;
          fillPlaces(lane);
          wake();
        });
      }
    }

    async function claimIn(lane: Lane): Promise<number> {
      const held = running[lane] + waiting[lane].length;
      const free = Math.min((ahead ? 2 : 1) * all[lane] - held, mostClaimed);
      // Ahead of the places a claim is for many jobs at a time.
      if (free <= 0 || (held >= all[lane] && free < all[lane] / 2)) return 0;
      const jobs = await claim(lane, free);
      waiting[lane].push(...jobs);
      fillPlaces(lane);
      return jobs.length;
    }

    async function reportAll(): Promise<void> {
      while (results.length > 0 && !signal.aborted) {
        const batch = results.splice(0, mostReported);
        await report(batch).catch((error: unknown) => {
          log.debug({ err: error, results: batch.length }, `${what} could not be reported`);
        });
      }
    }

    async function claimAll(): Promise<boolean> {
      try {
        const counts = await Promise.all([claimIn('quick'), claimIn('slow')]);
        return counts.some((count) => count > 0);
      } catch (error) {
        log.debug({ err: error }, `no ${what} this time`);
        return false;
      }
    }

    async function giveAllBack(): Promise<void> {
      const jobs = [...waiting.quick, ...waiting.slow, ...begun];
      if (!giveBack || jobs.length + results.length === 0) return;
      await giveBack(jobs, results.slice(0, mostReported)).catch((error: unknown) => {
        log.debug({ err: error, jobs: jobs.length }, `${what} could not be given back`);
      });
    }

    while (!signal.aborted) {
      const [claimed] = await Promise.all([claimAll(), reportAll()]);
      await wait(claimed || results.length > 0 || running.quick + running.slow > 0 ? gatherMs : lookEveryMs);
    }
    await giveAllBack();
  };

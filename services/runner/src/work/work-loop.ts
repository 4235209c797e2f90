import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { Lane } from './lanes.ts';

const mostReported = 64;

interface Claimed<Job> {
  jobs: readonly Job[];
  /** True if more jobs are due, so that it is worth claiming again at once. */
  more?: boolean;
}

/** One kind of work. The table in the README of the runner shows how the kinds differ. */
export interface Work<Name extends string, Job, Result> {
  /** For the log. */
  what: string;
  log: Pick<Service['log'], 'debug' | 'error'>;
  lanes: readonly Lane<Name>[];
  /** Maximum jobs of one claim. */
  mostClaimed: number;
  /** Claims one more job for each slot, so that a slot never waits for a claim. Leases must last for two jobs. */
  ahead?: boolean;
  /** The longest pause between claims; `busyMs`: while jobs run. */
  pollMs: number;
  busyMs?: number;
  /** Calls `wake` when jobs become due, until the signal aborts. Such hints may be lost. */
  onHint?(wake: () => void, signal: AbortSignal): void;
  /** Whether there is memory for a job beyond those that hold a slot. */
  hasMemory?(working: number): boolean;
  /** The most jobs that go on without a slot; further ones keep theirs until one of these ends. */
  mostWithoutSlot?: number;
  claim(lane: Name, most: number): Promise<Claimed<Job>>;
  /**
   * Without `report`, a job reports its own result and ends by itself when the signal aborts. `leaveSlot`: from now on it only
   * waits, and others may work.
   */
  work(job: Job, signal: AbortSignal, leaveSlot: () => void): Promise<Result>;
  /** Reports results in batches. A job whose result cannot be reported is repeated when its lease expires. */
  report?(results: Result[]): Promise<unknown>;
  /** Called at the end with claimed jobs that were not done, and with unreported results, at most one batch of them. */
  giveBack?(jobs: readonly Job[], results: readonly Result[]): Promise<unknown>;
}

/** Claims due jobs while slots are free, at each hint and after each pause, and does them. */
export const workLoop =
  <Name extends string, Job, Result>(kind: Work<Name, Job, Result>): Loop =>
  async (signal) => {
    const { what, log, ahead = false, pollMs, busyMs = pollMs, mostWithoutSlot = 0, report, giveBack } = kind;
    const queues = kind.lanes.map((lane) => ({ ...lane, waiting: new Array<Job>(), running: 0 }));
    type Queue = (typeof queues)[number];
    const underWay = new Map<Job, Promise<void>>();
    const results: Result[] = [];
    const { wake, wait } = createWakeUp(signal);
    kind.onHint?.(wake, signal);

    /** Jobs that no longer work but still hold their slots. */
    const leaving = new Set<() => void>();
    let withoutSlot = 0;

    function letLeave(): void {
      for (const leave of leaving) {
        if (withoutSlot >= mostWithoutSlot) return;
        leaving.delete(leave);
        withoutSlot += 1;
        leave();
      }
    }

    async function run(job: Job, leaveSlot: () => void): Promise<void> {
      try {
        const result = await kind.work(job, signal, leaveSlot);
        // The job was cut off by the end, so it is given back.
        if (report && signal.aborted) return;
        if (report) results.push(result);
      } catch (error) {
        log.error({ err: error }, `${what}: one ended without a result`);
      }
      underWay.delete(job);
    }

    /** At the end, waiting jobs are given back, or begun so that they give themselves back. */
    const mayBegin = () => !signal.aborted || !giveBack;

    function begin(queue: Queue): void {
      while (queue.running < queue.slots && mayBegin()) {
        const job = queue.waiting.shift();
        if (job === undefined) return;
        queue.running += 1;
        let hasSlot = true;
        const free = () => {
          hasSlot = false;
          queue.running -= 1;
          begin(queue);
          wake();
        };
        const leaveSlot = () => {
          if (hasSlot) leaving.add(free);
          letLeave();
        };
        const done = run(job, leaveSlot).finally(() => {
          leaving.delete(free);
          if (hasSlot) free();
          else withoutSlot -= 1;
          letLeave();
        });
        underWay.set(job, done);
      }
    }

    /** Whether it is worth claiming again at once. */
    async function claimIn(queue: Queue): Promise<boolean> {
      const { name, slots } = queue;
      const held = queue.running + queue.waiting.length;
      const free = Math.min((ahead ? 2 : 1) * slots - held, kind.mostClaimed);
      // Claims ahead are worth a call only for many jobs at a time.
      if (free <= 0 || (held >= slots && free < slots / 2)) return false;
      if (kind.hasMemory?.(underWay.size - withoutSlot) === false) return false;
      try {
        const { jobs, more = false } = await kind.claim(name, free);
        queue.waiting.push(...jobs);
        begin(queue);
        return more && jobs.length > 0;
      } catch (error) {
        // Jobs that were claimed by a lost answer are due again when their lease expires.
        log.debug({ err: error }, `${what} could not be claimed`);
        return false;
      }
    }

    async function reportAll(): Promise<void> {
      if (!report) return;
      while (results.length > 0 && !signal.aborted) {
        const batch = results.splice(0, mostReported);
        await report(batch).catch((error: unknown) => {
          log.debug({ err: error, results: batch.length }, `${what} could not be reported`);
        });
      }
    }

    async function giveAllBack(): Promise<void> {
      const jobs = [...queues.flatMap(({ waiting }) => waiting), ...underWay.keys()];
      if (!giveBack || jobs.length + results.length === 0) return;
      await giveBack(jobs, results.slice(0, mostReported)).catch((error: unknown) => {
        log.debug({ err: error, jobs: jobs.length }, `${what} could not be given back`);
      });
    }

    while (!signal.aborted) {
      const [more] = await Promise.all([Promise.all(queues.map(claimIn)), reportAll()]);
      if (!more.includes(true)) await wait(underWay.size + results.length > 0 ? busyMs : pollMs);
    }
    await giveAllBack();
    await Promise.all(underWay.values());
  };

import { randomOf } from '@berth/testing/random-of';
import { createScheduler, type Scheduler, type Steps } from './scheduler.ts';

/** An invariant was broken, which ends the run of its seed. */
export class Broken extends Error {}

/** The probability of each fault at each opportunity; all become zero when faults stop. */
export interface Faults {
  messageLost: number;
  messageDoubled: number;
  messageLate: number;
  commitFails: number;
  commitAnswerLost: number;
  serviceKilled: number;
  runnerKilled: number;
  runnerPaused: number;
  machineFrozen: number;
  runnerStopped: number;
  helmKilled: number;
  clusterCallFails: number;
  claimIncomplete: number;
}

export const noFaults: Faults = {
  messageLost: 0,
  messageDoubled: 0,
  messageLate: 0,
  commitFails: 0,
  commitAnswerLost: 0,
  serviceKilled: 0,
  runnerKilled: 0,
  runnerPaused: 0,
  machineFrozen: 0,
  runnerStopped: 0,
  helmKilled: 0,
  clusterCallFails: 0,
  claimIncomplete: 0,
};

/** The state that all parts of a simulated world share. */
export interface World {
  readonly scheduler: Scheduler;
  faults: Faults;
  chance(probability: number): boolean;
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T | undefined;
  /** Time for a statement, a call or a message; usually short. */
  delay(): number;
  pause(): Steps;
  /** How often each event has happened so far. */
  count(what: string): void;
  note(what: string): void;
  fail(rule: string): never;
}

export function createWorld(seed: number, counts: Map<string, number>, trace: string[] | null): World {
  const random = randomOf(seed);
  const scheduler = createScheduler();
  const between = (least: number, most: number) => least + random() * (most - least);
  const world: World = {
    scheduler,
    faults: noFaults,
    chance: (probability) => probability > 0 && random() < probability,
    between,
    pick: (items) => items[Math.floor(random() * items.length)],
    delay: () => (random() < 0.03 ? between(50, 1_500) : between(0, 12)),
    pause: () => scheduler.sleep(world.delay()),
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    note: (what) => void trace?.push(`${Math.round(scheduler.now())} ${what}`),
    fail: (rule) => {
      throw new Broken(rule);
    },
  };
  return world;
}

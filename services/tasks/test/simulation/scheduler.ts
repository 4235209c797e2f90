/** An event that a simulated process waits for; it calls `resume` once. */
type Suspension = (resume: () => void) => void;
/** A simulated process or a part of one; code between two yields is atomic. */
export type Steps<T = void> = Generator<Suspension, T, void>;

/** Waits until `start` calls its callback. */
export function* wait<T>(start: (done: (value: T) => void) => void): Steps<T> {
  let result: { value: T } | undefined;
  yield (resume) =>
    start((value) => {
      if (result) return;
      result = { value };
      resume();
    });
  if (!result) throw new Error('resumed without a result');
  return result.value;
}

interface Event {
  at: number;
  order: number;
  work: () => void;
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Virtual time: events run one after the other in the order of their times. */
export interface Scheduler {
  now(): number;
  after(ms: number, work: () => void): void;
  /** Runs events until that time, or until `isOver`. */
  runUntil(end: number, isOver?: () => boolean): void;
  sleep(ms: number): Steps;
}

export function createScheduler(): Scheduler {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;

  function push(event: Event): void {
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(event, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  function pop(): Event | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      const child = a && b && isBefore(b, a) ? left + 1 : left;
      const smaller = heap[child];
      if (!smaller || !isBefore(smaller, last)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  const after = (ms: number, work: () => void): void => {
    order += 1;
    push({ at: now + ms, order, work });
  };

  return {
    now: () => now,
    after,
    runUntil(end, isOver = () => false) {
      while (!isOver()) {
        const [next] = heap;
        if (!next || next.at > end) break;
        pop();
        now = next.at;
        next.work();
      }
      now = Math.max(now, end);
    },
    sleep: (ms) => wait<void>((done) => after(ms, done)),
  };
}

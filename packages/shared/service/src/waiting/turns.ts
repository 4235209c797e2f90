import { atMost, type InTurn } from './at-most.ts';

/** Work of the same name runs one after the other. */
export type TurnsOf = (name: string) => InTurn;

/** Queues of waiting work by name; empty queues are removed. */
export function createTurns(): TurnsOf {
  const queues = new Map<string, { inTurn: InTurn; works: number }>();

  return (name) => async (work, patience) => {
    const queue = queues.get(name) ?? { inTurn: atMost(1), works: 0 };
    queues.set(name, queue);
    queue.works += 1;
    try {
      return await queue.inTurn(work, patience);
    } finally {
      queue.works -= 1;
      if (queue.works === 0) queues.delete(name);
    }
  };
}

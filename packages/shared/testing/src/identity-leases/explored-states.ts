import { protocolOf, type Without } from './protocol.ts';
import { keyOf, type Size, startOf, type State } from './protocol-state.ts';

interface Reached {
  state: State;
  from: Reached | null;
  by: string;
}

export interface Explored {
  states: number;
  /** The steps to a state in which a removed right is used although its removal was answered. */
  violation: string[] | null;
}

/** Every state that the protocol can reach in any order of steps. */
export function exploredStates(size: Size, options: Without = {}): Explored {
  const { stepsFrom, isViolated } = protocolOf(size, options);
  const start = startOf(size);
  const keys = new Set([keyOf(start)]);
  const reached: Reached[] = [{ state: start, from: null, by: 'start' }];
  for (const from of reached) {
    if (isViolated(from.state)) return { states: reached.length, violation: pathTo(from) };
    for (const { name, next } of stepsFrom(from.state)) {
      const known = keys.size;
      if (keys.add(keyOf(next)).size > known) reached.push({ state: next, from, by: name });
    }
  }
  return { states: reached.length, violation: null };
}

/** Some states, if there are too many: steps in a random order, the same in each run. */
export function walkedStates(
  size: Size,
  { walks, steps }: { walks: number; steps: number },
  options: Without = {},
): Explored {
  const { stepsFrom, isViolated } = protocolOf(size, options);
  const start = startOf(size);
  const keys = new Set<string>();
  let seed = 1;
  const below = (most: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  for (let walk = 0; walk < walks; walk++) {
    let at: Reached = { state: start, from: null, by: 'start' };
    for (let step = 0; step < steps; step++) {
      const possible = stepsFrom(at.state);
      const chosen = possible[below(possible.length)];
      if (!chosen) break;
      at = { state: chosen.next, from: at, by: chosen.name };
      keys.add(keyOf(at.state));
      if (isViolated(at.state)) return { states: keys.size, violation: pathTo(at) };
    }
  }
  return { states: keys.size, violation: null };
}

const pathTo = ({ from, by }: Reached): string[] => (from === null ? [] : [...pathTo(from), by]);

import { quantile } from './quantile.ts';

/** Runs each piece of work once per round, one after the other, so that all run under the same load. Results in ms by name. */
export async function inTurns<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[];
  // The first rounds warm up connections and query plans.
  for (let index = 0; index < 10; index += 1) for (const name of names) await works[name]();
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let index = 0; index < rounds; index += 1) {
    for (const name of names) {
      const began = performance.now();
      await works[name]();
      taken[name].push(performance.now() - began);
    }
  }
  return taken;
}

export const quantilesOf = (samples: readonly number[]): string =>
  `p50 ${quantile(samples, 0.5).toFixed(1)} ms, p99 ${quantile(samples, 0.99).toFixed(1)}`;

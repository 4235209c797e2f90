import { z } from 'zod';

const metric = 'berth_event_loop_delay_seconds';
const Line = z.tuple([z.string(), z.coerce.number(), z.coerce.number()]);

/** How many samples of the delay of an event loop were at most so many seconds. */
export type LoopDelays = ReadonlyMap<number, number>;

export async function readLoopDelays(healthPort: number): Promise<LoopDelays> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const buckets = [...text.matchAll(new RegExp(`^${metric}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm'))];
  return new Map(
    buckets.map((match) => {
      const [, upTo, count] = Line.parse([match[0], match[1] === '+Inf' ? Number.MAX_VALUE : match[1], match[2]]);
      return [upTo, count];
    }),
  );
}

/** What came between two looks: the bucket of the largest, and how many were above 50 ms. */
export function between(before: LoopDelays, after: LoopDelays): { largestMs: number; slow: number; samples: number } {
  const added = [...after].map(([upTo, count]) => [upTo, count - (before.get(upTo) ?? 0)] as const);
  const samples = added.at(-1)?.[1] ?? 0;
  const largest = added.find(([, count]) => count === samples)?.[0] ?? 0;
  const fast = added.find(([upTo]) => upTo === 0.05)?.[1] ?? 0;
  return { largestMs: largest * 1000, slow: samples - fast, samples };
}

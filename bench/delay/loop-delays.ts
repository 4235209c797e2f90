import { z } from 'zod';

const metrics = { delay: 'berth_event_loop_delay_seconds', own: 'berth_event_loop_own_delay_seconds' };
const Line = z.tuple([z.string(), z.coerce.number(), z.coerce.number()]);

/** How many samples of an event loop's delay were at most this many seconds. */
export type Samples = ReadonlyMap<number, number>;

export interface LoopDelays {
  /** How late the loop was, for any reason. */
  delay: Samples;
  /** The part of the delay that the loop's own work caused. */
  own: Samples;
}

export const noDelays: LoopDelays = { delay: new Map(), own: new Map() };

export async function readLoopDelays(healthPort: number): Promise<LoopDelays> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  return { delay: samplesIn(text, metrics.delay), own: samplesIn(text, metrics.own) };
}

function samplesIn(text: string, metric: string): Samples {
  const buckets = [...text.matchAll(new RegExp(`^${metric}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm'))];
  return new Map(
    buckets.map((match) => {
      const [, upTo, count] = Line.parse([match[0], match[1] === '+Inf' ? Number.MAX_VALUE : match[1], match[2]]);
      return [upTo, count];
    }),
  );
}

/** The samples between two readings: the bucket of the largest, and the number above 50 ms. */
export function between(before: Samples, after: Samples): { largestMs: number; slow: number; samples: number } {
  const added = [...after].map(([upTo, count]) => [upTo, count - (before.get(upTo) ?? 0)] as const);
  const samples = added.at(-1)?.[1] ?? 0;
  const largest = added.find(([, count]) => count === samples)?.[0] ?? 0;
  const fast = added.find(([upTo]) => upTo === 0.05)?.[1] ?? 0;
  return { largestMs: largest * 1000, slow: samples - fast, samples };
}

import { z } from 'zod';
import type { Platform } from '../platform.ts';

export interface Changes {
  /** How many events of the row have arrived. */
  of(id: string): number;
  stop(): void;
}

const Event = z.object({ data: z.object({ id: z.string() }) });

/** Follows the events of a table through the front door. */
export async function changesOf({ stack, adminToken }: Platform, table: string): Promise<Changes> {
  const reader = new AbortController();
  const response = await fetch(`${stack.url}/api/v2/events?tables=${table}`, {
    headers: { 'x-service-token': adminToken },
    signal: reader.signal,
  });
  if (!response.ok || !response.body) throw new Error(`GET /events answers ${response.status}`);
  const counts = new Map<string, number>();
  const read = async (body: ReadableStream<Uint8Array>) => {
    let rest = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each.startsWith('data: '))) {
        const { data } = Event.safeParse(JSON.parse(line.slice('data: '.length)));
        if (data) counts.set(data.data.id, (counts.get(data.data.id) ?? 0) + 1);
      }
    }
  };
  read(response.body).catch(() => undefined);
  return { of: (id) => counts.get(id) ?? 0, stop: () => reader.abort() };
}

import { expect, test } from 'vitest';
import { memoryStateStream } from '@berth/testing/memory-state-stream';
import { watchStream } from './watch-stream.ts';

test('a nearly full stream is logged once, and once more when it has space again', async () => {
  const lines: string[] = [];
  const write = (...args: unknown[]) => void lines.push(String(args.at(-1)));
  const store = { knownStream: async () => null, rememberStream: async () => {}, clearMarks: async () => {} };
  const stream = memoryStateStream();
  const log = { info: write, warn: write };
  const watch = watchStream({ store, state: stream.state, copied: [], log, signal: new AbortController().signal });
  const words = "the stream of this service's state is nearly full; see NATS_STATE_BYTES";

  for (const used of [0.79, 0.8, 0.99, 0.5]) {
    stream.used = used;
    await watch();
  }

  expect(lines).toEqual([words, `over: ${words}`]);
});

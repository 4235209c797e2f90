import { pause } from '@berth/service/waiting/pause';

export interface FollowedEvents extends AsyncDisposable {
  /** The ids of rows whose events arrived. */
  readonly ids: ReadonlySet<string>;
  /** Faults of streams: they were refused, or events are missing. The end of a stream is not a fault. */
  readonly wrong: readonly string[];
  /** How many streams were opened. */
  readonly streams: () => number;
}

interface FollowStart {
  readonly url: string;
  readonly token: string;
  readonly tables: string;
}

/** The pause before a client reconnects, as set by the stream. */
const retryMs = 2_000;

/**
 * Follows events like a browser: when a stream ends, it continues after the last event. Resolves once the first stream has begun;
 * from then on every event must arrive.
 */
export async function followEvents({ url, token, tables }: FollowStart): Promise<FollowedEvents> {
  const ids = new Set<string>();
  const wrong: string[] = [];
  const ending = new AbortController();
  const { signal } = ending;
  const begun = Promise.withResolvers<void>();
  let position = '';
  let streams = 0;

  async function follow(): Promise<void> {
    const headers = { 'x-service-token': token, ...(position !== '' && { 'last-event-id': position }) };
    const response = await fetch(`${url}/api/v2/events?tables=${tables}`, { headers, signal });
    if (!response.ok || !response.body) throw new Error(`a stream of events was refused: ${response.status}`);
    streams += 1;
    let rest = '';
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n');
      // Ignores an event that was cut off.
      rest = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  }

  function take(block: string): void {
    const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
    position = field('id') ?? position;
    const data = field('data');
    if (field('event') === 'reset') wrong.push(`events are missing: ${data}`);
    else if (data !== undefined) ids.add(JSON.parse(data).data.id);
    begun.resolve();
  }

  async function followAgain(): Promise<void> {
    while (!signal.aborted) {
      // Clients must expect a broken connection; a malformed answer is a fault.
      await follow().catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof TypeError)) wrong.push(String(error));
      });
      await pause(retryMs, signal);
    }
  }

  const done = followAgain();
  await Promise.race([begun.promise, pause(30_000, signal)]);
  return {
    ids,
    wrong,
    streams: () => streams,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await done;
    },
  };
}

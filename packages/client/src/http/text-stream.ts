import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts';

/** A text answer such as the log of a task, read as it arrives. */
export interface TextStream {
  /** Without empty lines, by which a followed log that is quiet stays open. */
  lines(): AsyncGenerator<string>;
  /** The same without an unfinished last line: the connection may have been closed within it. */
  endedLines(): AsyncGenerator<string>;
  /** The events of `text/event-stream`. */
  events(): AsyncGenerator<ServerSentEvent>;
  text(): Promise<string>;
}

export const textStream = (response: Response): TextStream => ({
  text: () => response.text(),
  async *lines() {
    for await (const line of linesOf(response, 'all')) if (line !== '') yield line;
  },
  async *endedLines() {
    for await (const line of linesOf(response, 'ended')) if (line !== '') yield line;
  },
  events: () => serverSentEvents(linesOf(response, 'ended')),
});

async function* linesOf({ body }: Response, which: 'all' | 'ended'): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    // Not `for await`, which streams of some browsers do not know.
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '' && which === 'all') yield rest;
  } finally {
    // Ends the request where the caller stops reading.
    await reader.cancel().catch(() => undefined);
  }
}

export interface ServerSentEvent {
  /** `message` unless the stream names another one. */
  event: string;
  data: string;
  /** The position after this event, for `lastEventId`. */
  id: string;
}

/** Reads events from the lines of a stream. A position without data, by which a quiet stream stays open, is an event without data. */
export async function* serverSentEvents(lines: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let id = '';
  let event = '';
  let data: string[] = [];
  let isPending = false;
  for await (const line of lines) {
    if (line === '') {
      if (isPending) yield { event: event || 'message', data: data.join('\n'), id };
      [event, data, isPending] = ['', [], false];
      continue;
    }
    const [, field, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (field === undefined) continue;
    isPending = true;
    if (field === 'id') id = value;
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
}

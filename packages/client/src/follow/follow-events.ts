import { ProblemError, unwrap } from '../http/answer.ts';
import type { Client } from '../api/client.ts';
import { pause } from '../http/pause.ts';
import { passing } from '../http/passing.ts';
import type { ServerSentEvent } from '../http/server-sent-events.ts';

/** A row that was added, changed or removed; read it for its content. */
export interface RowEvent {
  kind: 'row';
  operation: 'INSERT' | 'UPDATE' | 'DELETE';
  table: string;
  env_id: string | null;
  data: { id: string; [field: string]: unknown };
  version: string | number;
  /** The position after it, for `after`. */
  id: string;
}

/** Events are missing: read again what you show. */
export interface EventsMissing {
  kind: 'reset';
  reason: string;
  id: string;
}

export interface FollowEvents {
  /** Names of tables, separated by commas. */
  tables?: string;
  env_id?: string;
  /** The position of the last event that was handled; without it, events from now on. */
  after?: string;
  /** Called when the stream begins and when it ends: while it is lost, what was read before may be out of date. */
  onState?: (state: 'live' | 'lost') => void;
  signal?: AbortSignal;
}

const never = new AbortController().signal;
const pauseMs = 2_000;

/**
 * The changes of all rows that the caller may see. Goes on after the last event where the connection ends, until the signal aborts;
 * throws `ProblemError` where the platform refuses.
 */
export async function* followEvents(
  { events }: Pick<Client, 'events'>,
  { signal = never, after, onState, ...query }: FollowEvents = {},
): AsyncGenerator<RowEvent | EventsMissing> {
  let position = after;
  while (!signal.aborted) {
    const options = { signal, ...(position !== undefined && { lastEventId: position }) };
    const answer = await events.stream({ query }, options);
    if (!answer.ok && !passing.has(answer.problem.code)) throw new ProblemError(answer.problem);
    if (answer.ok) {
      onState?.('live');
      try {
        for await (const event of unwrap(answer).events()) {
          position = event.id;
          if (event.data !== '') yield read(event);
        }
      } catch {
        signal.throwIfAborted();
      }
    }
    onState?.('lost');
    await pause(pauseMs, signal);
  }
}

function read({ event, data, id }: ServerSentEvent): RowEvent | EventsMissing {
  return { ...JSON.parse(data), kind: event === 'reset' ? 'reset' : 'row', id };
}

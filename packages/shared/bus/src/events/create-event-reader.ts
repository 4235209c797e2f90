import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { Resource } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import type { Connection } from '../connection/connection.ts';
import { whileUp } from '../connection/while-up.ts';
import { delays } from '../protocol/limits.ts';
import { eventStream } from '../state/state-stream.ts';
import { eventSubject } from '../protocol/subjects.ts';
import type { EventBatch, EventReader, RowEvent } from './event-reader.ts';

export interface EventReaderDeps {
  streams: Connection;
  manager: JetStreamManager;
  resources: readonly Resource[];
  log: Logger;
}

const batch = { batch: 500, max_bytes: 1024 * 1024 };

export function createEventReader({ streams, manager, resources, log }: EventReaderDeps): EventReader {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));

  return {
    status: () =>
      whileUp(streams, async () => {
        const { created, state } = await manager.streams.info(eventStream);
        return { created: new Date(created).toISOString(), first: state.first_seq, last: state.last_seq };
      }).catch(asUnavailable),

    read: (from) => whileUp(streams, () => readBatch(from)).catch(asUnavailable),
  };

  async function readBatch(from: number): Promise<EventBatch> {
    const stored = await manager.direct.getBatch(eventStream, { seq: from, ...batch });
    // The library waits without a deadline for each message.
    const timer = setTimeout(
      () => stored.stop(new AppError('timeout', 'The events did not arrive in time')),
      delays.stateAck,
    );
    const events: RowEvent[] = [];
    let next = from;
    try {
      for await (const message of stored) {
        const event = readEvent(message);
        if (event) events.push({ sequence: message.seq, event });
        else log.error({ subject: message.subject }, 'skipped an unreadable event');
        next = message.seq + 1;
      }
    } finally {
      clearTimeout(timer);
    }
    return { events, next };
  }

  /** The subject must match the event, because owners can only publish under their own subjects. */
  function readEvent({ subject, data }: StoredMsg): RowEvent['event'] | null {
    try {
      const event: RowEvent['event'] = JSON.parse(Buffer.from(data).toString());
      const resource = byName.get(event.resource);
      const fits =
        resource !== undefined &&
        subject === eventSubject(resource.owner, resource.name, event.id) &&
        Number.isSafeInteger(event.version);
      return fits ? event : null;
    } catch {
      return null;
    }
  }
}

function asUnavailable(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('unavailable', 'Reading events failed', { cause: error });
}

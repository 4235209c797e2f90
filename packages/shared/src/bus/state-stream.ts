import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { StreamStatus } from './publish-state.ts';
import { streamIsMissing } from './stream-is-missing.ts';
import { allState } from './subjects.ts';

export const stateStream = 'STATE';

export interface StateStreamSettings {
  replicas: number;
  /** The server knows lifetimes of single messages. */
  hasLifetimes: boolean;
}

export interface StateStream {
  status: StreamStatus;
  /** It takes messages that have an end. */
  hasLifetimes: boolean;
}

/** Makes the stream where it is missing; harmless where another replica does the same right now. */
export async function ensureStateStream(
  manager: JetStreamManager,
  settings: StateStreamSettings,
): Promise<StateStream> {
  const info = (await existing(manager)) ?? (await create(manager, settings));
  return { status: statusOf(info), hasLifetimes: info.config.allow_msg_ttl === true };
}

/** Null where there is no stream. */
async function existing(manager: JetStreamManager): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(stateStream);
  } catch (error) {
    if (streamIsMissing(error)) return null;
    throw error;
  }
}

const create = (manager: JetStreamManager, { replicas, hasLifetimes }: StateStreamSettings): Promise<StreamInfo> =>
  manager.streams.add({
    name: stateStream,
    subjects: [allState],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    // The last state of each row is all that is needed: the stream is its own compaction.
    max_msgs_per_subject: 1,
    duplicate_window: nanos(2 * 60_000),
    allow_direct: true,
    num_replicas: replicas,
    ...(hasLifetimes && { allow_msg_ttl: true }),
  });

const statusOf = ({ created, state }: StreamInfo): StreamStatus => ({
  created: new Date(created).toISOString(),
  lastSeq: state.last_seq,
});

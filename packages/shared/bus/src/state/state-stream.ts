import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { ServiceName } from '@berth/contracts/definition/contract';
import type { StreamStatus } from './publish-state.ts';
import { streamIsMissing } from './stream-is-missing.ts';
import { allEvents, allStateOf } from '../protocol/subjects.ts';

/** Each owner has a stream, so that one that fills its own does not keep others from publishing. */
export const stateStream = (owner: ServiceName): string => `STATE_${owner}`;

/** Recent changes of all owners, for watchers; projections do not use it. */
export const eventStream = 'ROW_EVENTS';

const minute = 60_000;

/** A watcher that missed more than this, in time or bytes, can detect that events are missing. */
const eventsKept = { max_age: nanos(60 * minute), max_bytes: 64 * 1024 * 1024 };

export interface StateStreamSettings {
  replicas: number;
  /** The limit of one owner's stream. When it is full, further rows are refused and stay in the outbox. */
  maxBytes: number;
  /** The server supports a lifetime for single messages. */
  hasLifetimes: boolean;
}

export interface StateStream {
  status: StreamStatus;
  /** The stream accepts messages with a lifetime. */
  hasLifetimes: boolean;
}

/** Creates both streams where they are missing; safe when another replica does the same. */
export async function ensureStateStream(
  manager: JetStreamManager,
  owner: ServiceName,
  settings: StateStreamSettings,
): Promise<StateStream> {
  const info = await ensure(manager, stateConfig(owner, settings));
  await ensure(manager, eventConfig(settings));
  return { status: statusOf(info), hasLifetimes: info.config.allow_msg_ttl === true };
}

const ensure = async (manager: JetStreamManager, config: StreamConfigOf): Promise<StreamInfo> =>
  (await existing(manager, config.name)) ?? (await manager.streams.add(config));

type StreamConfigOf = Partial<StreamConfig> & { name: string };

/** Null if the stream does not exist. */
async function existing(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (streamIsMissing(error)) return null;
    throw error;
  }
}

const stateConfig = (
  owner: ServiceName,
  { replicas, maxBytes, hasLifetimes }: StateStreamSettings,
): StreamConfigOf => ({
  name: stateStream(owner),
  subjects: [allStateOf(owner)],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  // When the stream is full, refuse new rows: the oldest messages are rows that never change, and must stay.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  // Only the last state of each row is needed, so the stream compacts itself.
  max_msgs_per_subject: 1,
  duplicate_window: nanos(2 * minute),
  allow_direct: true,
  num_replicas: replicas,
  ...(hasLifetimes && { allow_msg_ttl: true }),
});

const eventConfig = ({ replicas }: StateStreamSettings): StreamConfigOf => ({
  name: eventStream,
  subjects: [allEvents],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  ...eventsKept,
  duplicate_window: nanos(2 * minute),
  // Each watcher reads it from its own sequence; the server keeps nothing for them.
  allow_direct: true,
  num_replicas: replicas,
});

const statusOf = ({ created, state, config }: StreamInfo): StreamStatus => ({
  created: new Date(created).toISOString(),
  lastSeq: state.last_seq,
  used: config.max_bytes > 0 ? state.bytes / config.max_bytes : 0,
});

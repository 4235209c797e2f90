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

/** Makes the stream where it is missing; harmless where another replica does the same right now. */
export async function ensureStateStream(manager: JetStreamManager, replicas: number): Promise<StreamStatus> {
  const info = await existing(manager);
  return statusOf(info ?? (await create(manager, replicas)));
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

const create = (manager: JetStreamManager, replicas: number): Promise<StreamInfo> =>
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
  });

const statusOf = ({ created, state }: StreamInfo): StreamStatus => ({
  created: new Date(created).toISOString(),
  lastSeq: state.last_seq,
});

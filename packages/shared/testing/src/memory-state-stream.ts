import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowOptions, StateFollower } from '@berth/bus/state/follow-state';
import type { StateDigest, StateMessage, StatePublisher } from '@berth/bus/state/publish-state';
import { AppError } from '@berth/contracts/errors';

export interface MemoryStateStream {
  readonly state: StatePublisher & Pick<StateFollower, 'follow'>;
  /** Every acknowledged message in order, even if it was lost later. */
  readonly published: StateMessage[];
  /** The events, for watchers. */
  readonly events: StateMessage[];
  readonly digests: StateDigest[];
  /** The used share of the stream's limit. */
  used: number;
  /** The last message of each subject. */
  readonly last: ReadonlyMap<string, StateMessage>;
  /** While false, every operation fails as without a server. */
  up: boolean;
  /** Called when a message is stored, before it is acknowledged. */
  beforeAck: (message: StateMessage) => Promise<void>;
  /** Loses the stream with its content, like a broken disk. */
  lose(): void;
  /** Loses the last messages of the stream, like a power cut. */
  loseLast(count: number): void;
  requestRepublication(resource: string, highest?: number): Promise<void>;
}

/** A state stream in memory: the last message per subject, acknowledgements, followers and failures. */
export function memoryStateStream(): MemoryStateStream {
  let created = new Date(0).toISOString();
  let lives = 1;
  let log: StateMessage[] = [];
  let lastSeq = 0;
  const listeners = new Set<Parameters<StatePublisher['onRepublishRequest']>[0]>();
  const followers = new Set<FollowOptions & { resource: string }>();

  const needServer = (): void => {
    if (!stream.up) throw new AppError('unavailable', 'no server');
  };

  const stream: MemoryStateStream = {
    published: [],
    digests: [],
    events: [],
    used: 0,
    up: true,
    beforeAck: async () => {},
    get last() {
      return new Map(log.map((message) => [`${message.resource}.${message.id}`, message]));
    },
    lose() {
      log = [];
      lastSeq = 0;
      created = new Date(lives++).toISOString();
    },
    loseLast(count) {
      log = log.slice(0, -count);
      lastSeq -= count;
    },
    async requestRepublication(resource, highest = 0) {
      for (const listener of listeners) await listener(resource, highest);
    },
    state: {
      async publish(message) {
        needServer();
        log.push(message);
        lastSeq += 1;
        stream.published.push(message);
        await stream.beforeAck(message);
        for (const follower of followers) {
          if (follower.resource === message.resource) await follower.apply(message);
        }
      },
      async announce(event) {
        needServer();
        stream.events.push(event);
      },
      async ensureStream() {
        needServer();
        return { created, lastSeq, used: stream.used };
      },
      publishDigest(digest) {
        stream.digests.push(digest);
      },
      onRepublishRequest(republish) {
        listeners.add(republish);
      },
      async follow({ name }, options) {
        const follower = { ...options, resource: name };
        followers.add(follower);
        for (const message of stream.last.values()) if (message.resource === name) await options.apply(message);
        while (!options.signal.aborted) await sleep(60_000, undefined, options).catch(() => undefined);
        followers.delete(follower);
      },
    },
  };
  return stream;
}

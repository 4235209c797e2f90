import type { Logger } from 'pino';
import type { CallerName, Resource } from '@berth/contracts/definition/contract';
import type { Connection } from '../connection/connection.ts';
import type { FollowOptions } from './follow-state.ts';
import type { StateDigest } from './publish-state.ts';
import { digestSubject, republishSubject } from '../protocol/subjects.ts';

export interface CompareDeps {
  connection: Connection;
  follower: CallerName;
  log: Logger;
}

/**
 * Compares each digest of the owner with our projection. A single mismatch may be a change in flight. After two in a row, we read
 * the stream again, which is cheap, and ask the owner to publish the table again, which repairs the stream.
 */
export function compareDigests(
  { connection, follower, log }: CompareDeps,
  { name, owner }: Resource,
  { matches, highest, signal }: FollowOptions,
) {
  let mismatches = 0;
  let rebuildDue = false;
  if (!matches) return { rebuild: () => false, stop: () => undefined };

  const subscription = connection.nc.subscribe(digestSubject(owner, name), { slow: 100 });

  async function compare(digest: StateDigest): Promise<void> {
    if (await matches?.(digest)) {
      mismatches = 0;
      return;
    }
    mismatches += 1;
    if (mismatches < 2) return;
    log.warn({ resource: name, mismatches }, 'our projection differs from its owner; requesting the table again');
    mismatches = 0;
    rebuildDue = true;
    const complaint = JSON.stringify({ highest: (await highest?.()) ?? 0 });
    if (connection.isUp()) connection.nc.publish(republishSubject(owner, follower, name), complaint);
  }

  void (async () => {
    for await (const message of subscription) {
      if (signal.aborted) return;
      try {
        await compare(message.json<StateDigest>());
      } catch (error) {
        log.error({ err: error, resource: name }, 'comparing a digest failed');
      }
    }
  })().catch((error: unknown) => log.error({ err: error, resource: name }, 'digests are no longer compared'));

  return {
    /** True once after a mismatch: the stream must be read again. */
    rebuild(): boolean {
      const due = rebuildDue;
      rebuildDue = false;
      return due;
    },
    stop: () => subscription.unsubscribe(),
  };
}

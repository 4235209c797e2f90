import type { Logger } from 'pino';
import type { CallerName, Resource } from '../../contracts/contract.ts';
import type { Connection } from '../connection/connection.ts';
import type { FollowOptions } from './follow-state.ts';
import type { StateDigest } from './publish-state.ts';
import { digestSubject, republishSubject } from '../subjects.ts';

export interface CompareDeps {
  connection: Connection;
  follower: CallerName;
  log: Logger;
}

/**
 * Compares each digest of the owner with our copy. One mismatch may be a change under way; after two in a row the
 * stream is read again, which is cheap, and its owner is asked to publish the table again, which mends the stream.
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
    log.warn({ resource: name, mismatches }, 'our copy differs from its owner; asking for the table again');
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
        log.error({ err: error, resource: name }, 'a digest could not be compared');
      }
    }
  })().catch((error: unknown) => log.error({ err: error, resource: name }, 'digests are no longer compared'));

  return {
    /** Tells once that everything must be read again. */
    rebuild(): boolean {
      const due = rebuildDue;
      rebuildDue = false;
      return due;
    },
    stop: () => subscription.unsubscribe(),
  };
}

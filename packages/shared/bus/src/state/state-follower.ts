import type { JsMsg } from '@nats-io/jetstream';
import type { Resource } from '@berth/contracts/definition/contract';
import { inTraceOf } from '@berth/service/trace-context';
import { backOffMs } from '@berth/contracts/back-off';
import { pause } from '@berth/service/waiting/pause';
import { compareDigests } from './compare-digests.ts';
import type { FollowOptions, StateFollower } from './follow-state.ts';
import type { StateMessage } from './publish-state.ts';
import { durableName, nextRound, openConsumer } from './state-consumer.ts';
import type { StateFollowerDeps } from './state-follower-deps.ts';
import { stateStream } from './state-stream.ts';
import { stateSubject } from '../protocol/subjects.ts';
import { untilUp, whileUp } from '../connection/while-up.ts';

/** Attempts at one message before the next messages get their turn; it is redelivered after a minute. */
const attemptsInPlace = 6;
const times = { firstMs: 250, longestMs: 5_000, jitter: 0.25 };

export function createStateFollower(deps: StateFollowerDeps): StateFollower {
  return {
    async follow(resource, options) {
      const digests = compareDigests(deps, resource, options);
      try {
        await followRows(deps, resource, options, digests.rebuild);
      } finally {
        digests.stop();
      }
    },
  };
}

/** Follows until the signal aborts. After any failure it opens the consumer again, which the owner creates if it is missing. */
async function followRows(
  deps: StateFollowerDeps,
  resource: Resource,
  options: FollowOptions,
  isRebuildDue: () => boolean,
): Promise<void> {
  const { streams, follower, jetstream, manager, log } = deps;
  const { signal } = options;
  let failures = 0;

  while (!signal.aborted) {
    await untilUp(streams, signal);
    try {
      const consumer = await whileUp(streams, () => openConsumer(jetstream, manager, follower, resource));
      while (!signal.aborted) {
        await takeRound(consumer);
        failures = 0;
        if (isRebuildDue()) {
          log.warn({ resource: resource.name }, 'reading all state of a resource again');
          // The owner creates the consumer again, which then delivers every row.
          await manager.consumers.delete(stateStream(resource.owner), durableName(follower, resource.name));
          break;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // Both failures are normal: stream and consumer are missing until the owner creates them, and after NATS has lost its data.
      const level = failures > 3 ? 'warn' : 'info';
      log[level]({ err: error, resource: resource.name, failures }, 'following state failed; retrying');
      await pause(backOffMs(times, failures), signal);
    }
  }

  async function takeRound(consumer: Awaited<ReturnType<typeof openConsumer>>): Promise<void> {
    const round = await nextRound(consumer);
    const stop = () => round.stop();
    signal.addEventListener('abort', stop, { once: true });
    const stopListening = streams.onDown(stop);
    try {
      for await (const message of round) {
        if (signal.aborted) return;
        await takeMessage(message);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stopListening();
    }
  }

  async function takeMessage(message: JsMsg): Promise<void> {
    const state = readState(message, resource);
    if (!state) {
      log.error({ subject: message.subject }, 'skipped an unreadable state message');
      message.term();
      return;
    }
    for (let attempt = 1; attempt <= attemptsInPlace && !signal.aborted; attempt += 1) {
      try {
        await inTraceOf(state.traceparent, `apply ${state.resource}`, () => options.apply(state));
        message.ack();
        return;
      } catch (error) {
        log.error({ err: error, resource: state.resource, id: state.id, attempt }, 'applying state failed');
        message.working();
        await pause(backOffMs(times, attempt), signal);
      }
    }
    message.nak(60_000);
  }
}

/** The subject must match the row: an attacker can make JetStream put a message under another subject. */
function readState(message: JsMsg, { name, owner }: Resource): StateMessage | null {
  try {
    const state = message.json<StateMessage>();
    const fits =
      state.resource === name &&
      message.subject === stateSubject(owner, name, state.id) &&
      Number.isSafeInteger(state.version);
    return fits ? state : null;
  } catch {
    return null;
  }
}

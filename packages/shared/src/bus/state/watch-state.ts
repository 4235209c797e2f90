import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../connection/backoff.ts';
import type { StatePosition, WatchOptions } from './follow-state.ts';
import type { StateMessage } from './publish-state.ts';
import { nextRound, openConsumer, watcherConfig } from './state-consumer.ts';
import type { StateFollowerDeps } from './state-follower-deps.ts';
import { eventStream } from './state-stream.ts';
import { untilUp, whileUp } from '../connection/while-up.ts';

/** Follows the events of all owners for this process until the signal aborts; goes on behind the last place it saw. */
export async function watchState(deps: StateFollowerDeps, options: WatchOptions): Promise<void> {
  const { connection, follower, instance, jetstream, manager, log } = deps;
  const { onMessage, onGap, signal } = options;
  let position: StatePosition | undefined = options.from;
  let failures = 0;
  let made = 0;

  while (!signal.aborted) {
    await untilUp(connection, signal);
    try {
      const stream = await whileUp(connection, () => manager.streams.info(eventStream));
      const created = streamIdOf(stream.created);
      const isAnother = position !== undefined && position.stream !== created;
      const after = isAnother ? 0 : position?.seq;
      // Events end after an hour, or sooner where there are many.
      if (isAnother || (after !== undefined && after + 1 < stream.state.first_seq)) onGap?.();
      // From here on a place is known, so that no message is missed between two consumers.
      position = { stream: created, seq: after ?? stream.state.last_seq };
      made += 1;
      const name = `${follower}-watch-${instance}-${made}`;
      const config = watcherConfig(name, position.seq);
      const consumer = await whileUp(connection, () => openConsumer(jetstream, manager, eventStream, config));
      try {
        while (!signal.aborted) {
          await takeRound(consumer, created);
          failures = 0;
        }
      } finally {
        if (connection.isUp()) await manager.consumers.delete(eventStream, name).catch(() => undefined);
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      log[failures > 3 ? 'warn' : 'info']({ err: error, failures }, 'state cannot be watched right now');
      await sleep(backoffMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }

  async function takeRound(consumer: Awaited<ReturnType<typeof openConsumer>>, stream: string): Promise<void> {
    const round = await nextRound(consumer);
    const stop = () => round.stop();
    signal.addEventListener('abort', stop, { once: true });
    const stopListening = connection.onDown(stop);
    try {
      for await (const message of round) {
        if (signal.aborted) return;
        position = { stream, seq: message.seq };
        try {
          onMessage(message.json<StateMessage>(), position);
        } catch (error) {
          log.error({ err: error, subject: message.subject }, 'a state message could not be passed on');
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stopListening();
    }
  }
}

/** Short, for it becomes part of event ids. */
const streamIdOf = (created: unknown): string => Date.parse(String(created)).toString(36);

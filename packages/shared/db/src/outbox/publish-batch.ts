import type { StateMessage, StatePublisher } from '@berth/bus/state/publish-state';
import { isOutage } from '@berth/contracts/errors';

export interface BatchResult {
  acked: StateMessage[];
  /** Refused for a reason of their own, such as their size, which does not concern other messages. */
  refused: { message: StateMessage; error: unknown }[];
  /** The bus is unreachable: all other messages were not sent or got no answer. */
  outage: unknown;
}

/** Publishes in parallel, at most `parallel` at once; a batch has each subject only once. */
export async function publishBatch(
  messages: readonly StateMessage[],
  publish: StatePublisher['publish'],
  { parallel, signal }: { parallel: number; signal: AbortSignal },
): Promise<BatchResult> {
  const result: BatchResult = { acked: [], refused: [], outage: undefined };
  const queue = messages.values();

  const lane = async (): Promise<void> => {
    for (const message of queue) {
      if (signal.aborted || result.outage !== undefined) return;
      try {
        await publish(message);
        result.acked.push(message);
      } catch (error) {
        if (isOutage(error)) result.outage = error;
        else result.refused.push({ message, error });
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return result;
}

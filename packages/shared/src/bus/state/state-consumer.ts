import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Resource } from '../../contracts/contract.ts';
import { allEvents, stateSubject } from '../subjects.ts';

export const durableName = (follower: string, resource: string): string => `${follower}-${resource}`;

export const ackWaitMs = 30_000;

/** Gives every row's last state at first, then each change; where it was lost, making it again starts over. */
export const durableConfig = (follower: string, { owner, name }: Resource): Partial<ConsumerConfig> => ({
  durable_name: durableName(follower, name),
  filter_subject: stateSubject(owner, name, '>'),
  deliver_policy: DeliverPolicy.LastPerSubject,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 1_000,
  max_deliver: -1,
});

/** For one process; the server forgets it a minute after it was last asked for messages. */
export const watcherConfig = (name: string, afterSeq: number | undefined): Partial<ConsumerConfig> => ({
  name,
  filter_subject: allEvents,
  ...(afterSeq === undefined
    ? { deliver_policy: DeliverPolicy.New }
    : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSeq + 1 }),
  ack_policy: AckPolicy.None,
  inactive_threshold: nanos(60_000),
  mem_storage: true,
  num_replicas: 1,
});

export async function openConsumer(
  jetstream: JetStreamClient,
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig>,
): Promise<Consumer> {
  const info = await manager.consumers.add(stream, config);
  return jetstream.consumers.getConsumerFromInfo(info);
}

/**
 * Pulls in rounds of bounded length instead of one endless subscription: a consumer that is gone, or a server that
 * says nothing, ends the round with an error, and the next round starts from what is there then.
 */
export const nextRound = (consumer: Consumer) =>
  consumer.fetch({ max_messages: 200, expires: 5_000, idle_heartbeat: 1_000 });

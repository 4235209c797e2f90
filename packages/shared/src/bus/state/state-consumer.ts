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
import { stateSubject } from '../subjects.ts';

export const durableName = (follower: string, resource: string): string => `${follower}-${resource}`;

export const ackWaitMs = 30_000;

/** Delivers every row's last state first, then each change; a recreated consumer starts over. */
export const durableConfig = (follower: string, { owner, name }: Resource): Partial<ConsumerConfig> => ({
  durable_name: durableName(follower, name),
  filter_subject: stateSubject(owner, name, '>'),
  deliver_policy: DeliverPolicy.LastPerSubject,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 1_000,
  max_deliver: -1,
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
 * Pulls in rounds of bounded length instead of one endless subscription: a lost consumer or a silent server ends the round
 * with an error, and the next round starts from the state at that time.
 */
export const nextRound = (consumer: Consumer) =>
  consumer.fetch({ max_messages: 200, expires: 5_000, idle_heartbeat: 1_000 });

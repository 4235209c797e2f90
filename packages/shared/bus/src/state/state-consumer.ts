import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Resource, ServiceName } from '@berth/contracts/definition/contract';
import { stateSubject } from '../protocol/subjects.ts';
import { stateStream } from './state-stream.ts';

export const durableName = (follower: string, resource: string): string => `${follower}-${resource}`;

const ackWaitMs = 30_000;

/** Delivers every row's last state first, then each change; a recreated consumer starts over. */
const durableConfig = (follower: string, { owner, name }: Resource): Partial<ConsumerConfig> => ({
  durable_name: durableName(follower, name),
  filter_subject: stateSubject(owner, name, '>'),
  deliver_policy: DeliverPolicy.LastPerSubject,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 1_000,
  max_deliver: -1,
});

/** What is followed of an owner's stream, and by whom. */
export const consumedBy = (resources: readonly Resource[], owner: ServiceName) =>
  resources
    .filter((resource) => resource.owner === owner)
    .flatMap((resource) => (resource.state?.consumers ?? []).map((follower) => ({ follower, resource })));

/** Creates the consumers of an owner's followers that are missing. */
export async function ensureConsumers(
  manager: JetStreamManager,
  resources: readonly Resource[],
  owner: ServiceName,
): Promise<void> {
  const stream = stateStream(owner);
  const existing = new Set<string>();
  for await (const { name } of manager.consumers.list(stream)) existing.add(name);
  for (const { follower, resource } of consumedBy(resources, owner)) {
    if (existing.has(durableName(follower, resource.name))) continue;
    await manager.consumers.add(stream, durableConfig(follower, resource));
  }
}

/** Throws if the owner has not created it yet. */
export async function openConsumer(
  jetstream: JetStreamClient,
  manager: JetStreamManager,
  follower: string,
  { owner, name }: Resource,
): Promise<Consumer> {
  const info = await manager.consumers.info(stateStream(owner), durableName(follower, name));
  return jetstream.consumers.getConsumerFromInfo(info);
}

/**
 * Pulls in rounds of bounded length instead of one endless subscription: a lost consumer or a silent server ends the round
 * with an error, and the next round starts from the state at that time.
 */
export const nextRound = (consumer: Consumer) =>
  consumer.fetch({ max_messages: 200, expires: 5_000, idle_heartbeat: 1_000 });

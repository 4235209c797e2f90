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

/** Delivers the last state of every row first, then each change. A recreated consumer starts from the beginning. */
const durableConfig = (follower: string, { owner, name }: Resource): Partial<ConsumerConfig> => ({
  durable_name: durableName(follower, name),
  filter_subject: stateSubject(owner, name, '>'),
  deliver_policy: DeliverPolicy.LastPerSubject,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 1_000,
  max_deliver: -1,
});

/** The followed resource of an owner, and its follower. */
export const consumedBy = (resources: readonly Resource[], owner: ServiceName) =>
  resources
    .filter((resource) => resource.owner === owner)
    .flatMap((resource) => (resource.state?.consumers ?? []).map((follower) => ({ follower, resource })));

/** Creates missing consumers for the followers of an owner. */
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
 * Pulls in short rounds rather than one endless subscription. A lost consumer or a silent server ends the round with an error,
 * and the next round continues from the state at that time.
 */
export const nextRound = (consumer: Consumer) =>
  consumer.fetch({ max_messages: 200, expires: 5_000, idle_heartbeat: 1_000 });

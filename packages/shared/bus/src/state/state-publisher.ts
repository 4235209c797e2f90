import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JetStreamPublishOptions,
} from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { Resource, ServiceName } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import type { Connection } from '../connection/connection.ts';
import { delays, limits } from '../protocol/limits.ts';
import type { StateMessage, StatePublisher, StreamStatus } from './publish-state.ts';
import { knowsMessageLifetimes } from '../connection/server-version.ts';
import { ensureConsumers } from './state-consumer.ts';
import { stateMetrics } from './state-metrics.ts';
import { ensureStateStream, eventStream, stateStream } from './state-stream.ts';
import { digestSubject, eventSubject, republishSubject, stateSubject } from '../protocol/subjects.ts';
import { whileUp } from '../connection/while-up.ts';

export interface StatePublisherDeps {
  /** The connection for digests, and for requests to publish a table again. */
  connection: Connection;
  /** The connection for rows, with the next two fields. */
  streams: Connection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  owner: ServiceName;
  resources: readonly Resource[];
  instance: string;
  replicas: number;
  maxBytes: number;
  metrics: Registry;
  log: Logger;
}

const Complaint = z.object({ highest: z.number().int().min(0) });

/** A little longer than the outbox keeps deleted rows: a follower that was away longer detects the difference by the digest. */
const tombstoneLifetime = `${31 * 24}h`;

/** Publishes the state of an owner. Called by the relay only, so requests never wait for it. */
export function createStatePublisher(deps: StatePublisherDeps): StatePublisher {
  const { connection, streams, jetstream, manager, owner, resources, instance, replicas, maxBytes, log } = deps;
  const metrics = stateMetrics(deps.metrics);
  // Part of each message id, so that deliberate republications are not dropped as duplicates.
  let epoch = 0;
  let known: StreamStatus | undefined;
  let hasLifetimes = false;

  async function send(message: StateMessage, subject: string, options: Partial<JetStreamPublishOptions>) {
    const { resource, id, version } = message;
    const payload = JSON.stringify(message);
    if (Buffer.byteLength(payload) > limits.responseBytes) throw new AppError('too_large', 'The row is too large');
    const msgID = `${resource}.${id}.${version}.${instance}.${epoch}`;
    const all = { msgID, timeout: delays.stateAck, ...options };
    await whileUp(streams, () => jetstream.publish(subject, payload, all)).catch(asRefused);
  }

  return {
    async publish(message) {
      const { resource, id, operation } = message;
      const ttl = operation === 'DELETE' && hasLifetimes ? { ttl: tombstoneLifetime } : {};
      await send(message, stateSubject(owner, resource, id), { expect: { streamName: stateStream(owner) }, ...ttl });
    },

    async announce(event) {
      const { resource, id } = event;
      await send(event, eventSubject(owner, resource, id), { expect: { streamName: eventStream } });
    },

    async ensureStream() {
      const settings = { replicas, maxBytes, hasLifetimes: knowsMessageLifetimes(streams.nc.info?.version ?? '') };
      const ensure = async () => {
        const found = await ensureStateStream(manager, owner, settings);
        await ensureConsumers(manager, resources, owner);
        return found;
      };
      const stream = await whileUp(streams, ensure).catch(asUnavailable);
      const { status } = stream;
      ({ hasLifetimes } = stream);
      if (known && (known.created !== status.created || known.lastSeq > status.lastSeq)) epoch += 1;
      known = status;
      metrics.streamUsed.set(status.used);
      return status;
    },

    publishDigest(digest) {
      if (connection.isUp()) connection.nc.publish(digestSubject(owner, digest.resource), JSON.stringify(digest));
    },

    onRepublishRequest(republish) {
      const requests = connection.nc.subscribe(republishSubject(owner, '*', '*'), { slow: 100 });
      void (async () => {
        for await (const message of requests) {
          try {
            const resource = message.subject.split('.').at(-1) ?? '';
            epoch += 1;
            log.warn({ resource, subject: message.subject }, 'a follower requests a table again');
            await republish(resource, highestOf(message));
          } catch (error) {
            log.error({ err: error }, 'republishing a table failed');
          }
        }
      })();
    },
  };
}

/** The version that a follower sends is not trusted; if it is invalid, the rows get new versions. */
function highestOf(complaint: Msg): number {
  try {
    return Complaint.parse(complaint.json()).highest;
  } catch {
    return 0;
  }
}

const streamIsFull = 10_077;

/** One row that does not fit must not block rows that do: smaller ones, or those that replace their last state. */
function asRefused(error: unknown): never {
  if (error instanceof JetStreamApiError && error.code === streamIsFull) {
    throw new AppError('too_large', 'The stream of state is full', { cause: error });
  }
  return asUnavailable(error);
}

function asUnavailable(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('unavailable', 'Publishing state failed', { cause: error });
}

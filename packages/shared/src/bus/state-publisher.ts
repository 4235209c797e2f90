import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { ServiceName } from '../contracts/contract.ts';
import { AppError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { delays, limits } from './limits.ts';
import type { StatePublisher, StreamStatus } from './publish-state.ts';
import { knowsMessageLifetimes } from './server-version.ts';
import { ensureStateStream, stateStream } from './state-stream.ts';
import { digestSubject, republishSubject, stateSubject } from './subjects.ts';
import { whileUp } from './while-up.ts';

export interface StatePublisherDeps {
  connection: Connection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  owner: ServiceName;
  instance: string;
  replicas: number;
  log: Logger;
}

/** A little longer than the outbox keeps it: who was away longer finds by the digest that its rows differ. */
const tombstoneLifetime = `${31 * 24}h`;

/** Publishes the state of an owner. Only the relay waits for it, never a request. */
export function createStatePublisher(deps: StatePublisherDeps): StatePublisher {
  const { connection, jetstream, manager, owner, instance, replicas, log } = deps;
  // Part of each message id: what is published again on purpose must not be taken for a repetition.
  let epoch = 0;
  let known: StreamStatus | undefined;
  let hasLifetimes = false;

  return {
    async publish(message) {
      const { resource, id, version, operation } = message;
      const payload = JSON.stringify(message);
      if (Buffer.byteLength(payload) > limits.responseBytes) throw new AppError('too_large', 'The row is too large');
      const msgID = `${resource}.${id}.${version}.${instance}.${epoch}`;
      const options = {
        msgID,
        expect: { streamName: stateStream },
        timeout: delays.stateAck,
        ...(operation === 'DELETE' && hasLifetimes && { ttl: tombstoneLifetime }),
      };
      const subject = stateSubject(owner, resource, id);
      await whileUp(connection, () => jetstream.publish(subject, payload, options)).catch(asUnavailable);
    },

    async ensureStream() {
      const settings = { replicas, hasLifetimes: knowsMessageLifetimes(connection.nc.info?.version ?? '') };
      const stream = await whileUp(connection, () => ensureStateStream(manager, settings)).catch(asUnavailable);
      const { status } = stream;
      ({ hasLifetimes } = stream);
      if (known && (known.created !== status.created || known.lastSeq > status.lastSeq)) epoch += 1;
      known = status;
      return status;
    },

    publishDigest(digest) {
      if (connection.isUp()) connection.nc.publish(digestSubject(owner, digest.resource), JSON.stringify(digest));
    },

    onRepublishAsked(republish) {
      const asked = connection.nc.subscribe(republishSubject(owner, '*', '*'), { slow: 100 });
      void (async () => {
        for await (const message of asked) {
          try {
            const resource = message.subject.split('.').at(-1) ?? '';
            epoch += 1;
            log.warn({ resource, subject: message.subject }, 'a consumer asks for a table again');
            await republish(resource);
          } catch (error) {
            log.error({ err: error }, 'publishing a table again failed');
          }
        }
      })();
    },
  };
}

function asUnavailable(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('unavailable', 'State could not be published', { cause: error });
}

import type { JetStreamManager } from '@nats-io/jetstream';
import type { ServiceName } from '@berth/contracts/definition/contract';
import type { Logger } from 'pino';
import { type Connection, NatsUnusable } from '../connection/connection.ts';
import { refusalOfStream } from '../connection/nats-needs.ts';
import { knowsMessageLifetimes } from '../connection/server-version.ts';
import { ensureStateStream, stateStream } from './state-stream.ts';

export interface CheckStreamsDeps {
  streams: Connection;
  manager: JetStreamManager;
  owner: ServiceName;
  replicas: number;
  maxBytes: number;
  log: Logger;
}

/**
 * Makes the streams of a service that owns rows, as its relay would, so that a NATS that can never hold them is refused at the
 * start. What may pass by itself, such as a cluster that elects a leader, is left to the relay.
 */
export async function checkStreams(deps: CheckStreamsDeps): Promise<void> {
  const { streams, manager, owner, replicas, maxBytes, log } = deps;
  const stream = stateStream(owner);

  const { version = '', jetstream: hasJetStream = false } = streams.nc.info ?? {};
  try {
    await ensureStateStream(manager, owner, { replicas, maxBytes, hasLifetimes: knowsMessageLifetimes(version) });
  } catch (error) {
    const refusal = refusalOfStream(error, { stream, maxBytes, replicas, hasJetStream });
    if (refusal !== null) throw new NatsUnusable(refusal, { cause: error });
    log.warn({ err: error }, 'JetStream does not answer yet');
  }
}

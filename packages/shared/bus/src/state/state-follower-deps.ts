import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { CallerName } from '@berth/contracts/definition/contract';
import type { Connection } from '../connection/connection.ts';

/** Dependencies of following state. */
export interface StateFollowerDeps {
  /** The connection for digests, and for requests to publish a table again. */
  connection: Connection;
  /** The connection for rows, with the next two fields. */
  streams: Connection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  follower: CallerName;
  log: Logger;
}

import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { CallerName } from '@berth/contracts/definition/contract';
import type { Connection } from '../connection/connection.ts';

/** What following state works with. */
export interface StateFollowerDeps {
  /** For digests, and requests to publish again. */
  connection: Connection;
  /** For rows, together with the next two. */
  streams: Connection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  follower: CallerName;
  log: Logger;
}

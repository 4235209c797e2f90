import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager, jetstream as jetstreamOf } from '@nats-io/jetstream';
import { type Registry, register } from 'prom-client';
import type { DeniedAttempt } from '@berth/contracts/access/denied-attempt';
import { createIdentityVerifier, type IdentityVerifier } from './identity-tokens/identity-verifier.ts';
import type { Resource, ServiceName } from '@berth/contracts/definition/contract';
import { resources as allResources } from '@berth/contracts/resources/index';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import type { Bus } from './bus.ts';
import { defaultStateBytes } from './connection/bus-settings.ts';
import { createCaller } from './rpc/caller/call.ts';
import { createEventReader } from './events/create-event-reader.ts';
import { createChartStore } from './objects/chart-store.ts';
import { type Connection, type ConnectionOptions, NatsUnusable, openConnection } from './connection/connection.ts';
import { natsPermissions } from './accounts/permissions.ts';
import { publishesState, streamsUser, usesStreams } from './accounts/stream-grants.ts';
import { createHints } from './hints/hints-on-nats.ts';
import { untilGranted } from './connection/until-granted.ts';
import { delays } from './protocol/limits.ts';
import { listenToOwnVoice } from './rpc/caller/own-voice.ts';
import { openReplyInbox } from './rpc/caller/reply-inbox.ts';
import { rpcMetrics } from './rpc/rpc-metrics.ts';
import { createSender } from './rpc/wire/sender.ts';
import { createServer } from './rpc/callee/serve.ts';
import { checkStreams } from './state/check-streams.ts';
import { createStateFollower } from './state/state-follower.ts';
import { createStatePublisher } from './state/state-publisher.ts';
import { discoverySubject } from './protocol/subjects.ts';
import { whileUp } from './connection/while-up.ts';

export interface BusOptions extends ConnectionOptions {
  /** By default the logger of the process. */
  metrics?: Registry | undefined;
  /** Of the second user; by default `password`. */
  streamsPassword?: string | undefined;
  /** By default with the keys that `auth` publishes. */
  verifyIdentity?: IdentityVerifier | undefined;
  /** Copies of the stream and the bucket in a cluster of NATS servers. */
  replicas?: number | undefined;
  /** The most bytes of this service's state in NATS. */
  stateBytes?: number | undefined;
  /** How long NATS may take to get the permissions of the contracts. */
  patienceMs?: number | undefined;
  /** Called with each request that this service refuses because the caller lacks a role. */
  onDenied?: ((attempt: DeniedAttempt) => void) | undefined;
  /** By default the contracts of the platform. */
  resources?: readonly Resource[] | undefined;
}

/** Waits for NATS without a limit, then connects as one service. All connections to NATS start here. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { caller, log, replicas = 1, stateBytes = defaultStateBytes, metrics: registry = register } = options;
  const { resources = allResources } = options;
  const connection = await openConnection(options);
  try {
    const subjects = natsPermissions(resources)[caller].publish.allow;
    await untilGranted({ connection, caller, subjects, log, signal: options.signal, patienceMs: options.patienceMs });
  } catch (error) {
    await connection.nc.close();
    throw error;
  }
  const streams = await openStreams(options, connection);
  const connections = [...new Set([connection, streams])];
  const { nc } = connection;
  const instance = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const metrics = rpcMetrics(registry);
  const failure = new AbortController();
  let closing = false;

  for (const one of connections) {
    one.onDenied((violation) => {
      const { operation, subject } = violation;
      metrics.denied.inc({ operation });
      // NATS reports a denial only as a status event; if it were ignored, the service would look healthy and receive nothing.
      if (operation === 'subscription') {
        failure.abort(new NatsUnusable(`NATS does not let ${caller} listen to ${subject}`));
      }
    });
    void (async () => {
      const cause = await one.nc.closed();
      if (!closing) failure.abort(new NatsUnusable('The connection to NATS is closed for good', { cause }));
    })();
    one.onSlow(() => metrics.slow.inc());
  }

  const send = createSender(nc);
  const inbox = openReplyInbox({ connection, caller, instance, send, log });
  const calls = createCaller({ inbox, caller, metrics });
  const call = calls.call as Bus['call'];
  const verifyIdentity =
    options.verifyIdentity ??
    createIdentityVerifier({ fetchKeys: async () => (await call(signingKeys.operations.list, {})).keys });
  const server = createServer({
    connection,
    caller,
    instance,
    send,
    verifyIdentity,
    log,
    metrics,
    onDenied: options.onDenied,
  });
  const voices = connections.map((one) => listenToOwnVoice({ connection: one, caller, instance, log }));

  const jetstream = jetstreamOf(streams.nc, { timeout: delays.stateAck, checkAPI: false });
  const manager = await jetstreamManager(streams.nc, { timeout: delays.stateAck, checkAPI: false });
  const shared = { connection, streams, jetstream, manager, instance, log };
  const close = () => Promise.all(connections.filter((one) => !one.isClosed()).map((one) => one.nc.close()));

  // A lost connection reconnects by itself; a permanent refusal then appears as an ordinary failure.
  await Promise.all(connections.map((one) => one.nc.flush().catch(() => undefined)));
  try {
    failure.signal.throwIfAborted();
    if (publishesState(caller, resources)) {
      const owner = caller as ServiceName;
      await checkStreams({ streams, manager, owner, replicas, maxBytes: stateBytes, log });
    }
  } catch (error) {
    closing = true;
    await close();
    throw error;
  }

  return {
    caller,
    instance,
    serve: server.serve,
    listening: () => whileUp(connection, () => nc.flush()),
    call,
    callForBytes: calls.callForBytes,
    hints: createHints(connection, log),
    state: {
      ...createStatePublisher({
        ...shared,
        owner: caller as ServiceName,
        resources,
        replicas,
        maxBytes: stateBytes,
        metrics: registry,
      }),
      ...createStateFollower({ ...shared, follower: caller }),
    },
    objects: createChartStore({ connection: streams, jetstream, manager, replicas }),
    events: createEventReader({ streams, manager, resources, log }),
    identify: (token) => verifyIdentity(token, caller as ServiceName),
    isAlive: () => connections.every((one) => !one.isClosed()) && voices.every((voice) => voice.isHeard()),
    isConnected: () => connections.every((one) => one.isUp()),
    failure: failure.signal,

    async isAnswering(service, deadlineMs = 500) {
      const ping = { owner: service, subject: discoverySubject('PING', service), payload: '', timeoutMs: deadlineMs };
      return inbox.request(ping).then(
        () => true,
        () => false,
      );
    },

    async [Symbol.asyncDispose]() {
      closing = true;
      await server.drain();
      await Promise.all(voices.map((voice) => voice.stop()));
      await Promise.all(connections.map(lastWords));
      await close();
    },
  };
}

/** The second connection, in the account with this caller's streams only. Callers without streams do not open it. */
async function openStreams(options: BusOptions, connection: Connection): Promise<Connection> {
  const { caller, password, streamsPassword = password } = options;
  if (!usesStreams(caller)) return connection;
  try {
    return await openConnection({ ...options, user: streamsUser(caller), password: streamsPassword });
  } catch (error) {
    await connection.nc.close();
    throw error;
  }
}

/** Closing drops unsent messages, which may include the last answers. */
async function lastWords(connection: Connection): Promise<void> {
  await nextTurn();
  if (!connection.isUp()) return;
  await Promise.race([connection.nc.flush().catch(() => undefined), sleep(1_000, undefined, { ref: false })]);
}

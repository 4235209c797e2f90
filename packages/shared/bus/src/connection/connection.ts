import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthorizationError,
  connect,
  nkeyAuthenticator,
  type NatsConnection,
  PermissionViolationError,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { CallerName } from '@berth/contracts/definition/contract';
import { delays } from '../protocol/limits.ts';
import { inboxPrefix } from '../protocol/subjects.ts';
import { refusalOfPayload, refusalOfUser } from './nats-needs.ts';
import { refusalOfServer } from './server-version.ts';

export interface ConnectionOptions {
  /** URLs of the servers of one NATS. With `tls:` in any of them, an unencrypted connection is refused. */
  servers: readonly string[];
  caller: CallerName;
  /** The caller's name by default. */
  user?: string | undefined;
  /** In plain text, or the seed of an nkey. */
  password?: string | undefined;
  log: Logger;
  /** Gives up waiting for the first connection. */
  signal?: AbortSignal | undefined;
  /** PEM certificates of the trusted authorities; the well-known ones by default. If set, connections without TLS are refused. */
  ca?: string | undefined;
}

type Unlisten = () => void;

/** A NATS connection that reconnects by itself and reports its loss at once. */
export interface Connection {
  readonly nc: NatsConnection;
  isUp(): boolean;
  isClosed(): boolean;
  /** Called at each loss of the connection, and when it is closed for good. */
  onDown(listener: () => void): Unlisten;
  onUp(listener: () => void): Unlisten;
  onDenied(listener: (denied: PermissionViolationError) => void): Unlisten;
  onSlow(listener: (subscription: Subscription, pending: number) => void): Unlisten;
}

/** Waits for the server without a limit; logs every 10 s why it is not connected yet. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { log, signal, servers } = options;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return watch(await connectWithin(options), log);
    } catch (error) {
      if (error instanceof NatsUnusable) throw error;
      log.warn({ err: error, servers: servers.map(withoutCredentials) }, 'NATS is not reachable yet');
    }
  }
}

/** NATS is too old, denies a subject, or closed the connection: its operator must change its version or its users. */
export class NatsUnusable extends Error {
  override readonly name = 'NatsUnusable';
}

/** One round of attempts; rejects with the error of the last one. */
async function connectWithin(options: ConnectionOptions): Promise<NatsConnection> {
  const { caller, user = caller, password, signal, servers, ca } = options;
  // For a `tls:` URL the library would accept a server without TLS and send it the password.
  const isEncrypted = ca !== undefined || servers.some((url) => url.startsWith('tls:'));
  const end = performance.now() + delays.connect;
  for (;;) {
    try {
      const nc = await connect({
        servers: [...servers],
        name: user,
        inboxPrefix: inboxPrefix(caller),
        ...(password !== undefined && credentialsOf(user, password)),
        ...(isEncrypted && { tls: ca === undefined ? {} : { ca } }),
        timeout: 5_000,
        reconnect: true,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 500,
        reconnectJitterTLS: 500,
        pingInterval: delays.pingInterval,
        maxPingOut: 2,
        // Halves the cost of a request. Our own errors name the request, so the stack is not missed.
        noAsyncTraces: true,
        ignoreAuthErrorAbort: true,
      });
      const { version = '0', max_payload = 0 } = nc.info ?? {};
      const refusal = refusalOfServer(version) ?? refusalOfPayload(max_payload);
      if (refusal === null) return nc;
      await nc.close();
      throw new NatsUnusable(refusal);
    } catch (error) {
      if (error instanceof AuthorizationError) throw new NatsUnusable(refusalOfUser(user), { cause: error });
      if (error instanceof NatsUnusable) throw error;
      if (performance.now() + 250 > end) throw error;
      await sleep(250 + Math.random() * 250, undefined, signal ? { signal } : {});
    }
  }
}

const seedOfUser = /^SU[A-Z2-7]{56}$/;

/** A server knows the user of an nkey by its public key, and gets a signature in place of a password. */
const credentialsOf = (user: string, password: string) =>
  seedOfUser.test(password) ? { authenticator: nkeyAuthenticator(Buffer.from(password)) } : { user, pass: password };

const withoutCredentials = (url: string): string => url.replaceAll(/\/\/[^@/,]*@/g, '//');

function watch(nc: NatsConnection, log: Logger): Connection {
  const down = new Set<() => void>();
  const backUp = new Set<() => void>();
  const denied = new Set<(denied: PermissionViolationError) => void>();
  const slow = new Set<(subscription: Subscription, pending: number) => void>();
  let up = true;

  function wentDown(): void {
    if (!up) return;
    up = false;
    for (const listener of down) listener();
  }

  function onStatus(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        log.warn({ server: withoutCredentials(status.server) }, 'NATS connection lost');
        return wentDown();
      case 'reconnect':
        log.info({ server: withoutCredentials(status.server) }, 'NATS connection is back');
        up = true;
        for (const listener of backUp) listener();
        return;
      case 'staleConnection':
        log.warn('NATS does not answer pings');
        return wentDown();
      case 'slowConsumer':
        log.error({ subject: status.sub.getSubject(), pending: status.pending }, 'messages pile up');
        for (const listener of slow) listener(status.sub, status.pending);
        return;
      case 'error':
        log.error({ err: status.error }, 'NATS reports an error');
        if (!(status.error instanceof PermissionViolationError)) return;
        for (const listener of denied) listener(status.error);
        return;
      case 'close':
        return wentDown();
      default:
    }
  }

  void (async () => {
    for await (const status of nc.status()) {
      try {
        onStatus(status);
      } catch (error) {
        log.error({ err: error }, 'a listener of the NATS connection failed');
      }
    }
  })();
  void (async () => {
    const error = await nc.closed();
    wentDown();
    if (error) log.fatal({ err: error }, 'NATS connection closed for good');
  })();

  return {
    nc,
    isUp: () => up && !nc.isClosed(),
    isClosed: () => nc.isClosed(),
    onDown: (listener) => listen(down, listener),
    onUp: (listener) => listen(backUp, listener),
    onDenied: (listener) => listen(denied, listener),
    onSlow: (listener) => listen(slow, listener),
  };
}

function listen<L>(listeners: Set<L>, listener: L): Unlisten {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

import { limits } from '../limits.ts';

const gibibyte = 1024 ** 3;

export interface NatsUser {
  readonly name: string;
  /** In clear or as a bcrypt hash. */
  readonly password: string;
  /** Without them the user may do everything; for operators and tests. */
  readonly permissions?: { readonly publish: SubjectRules; readonly subscribe: SubjectRules } | undefined;
}

interface SubjectRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface NatsServerSettings {
  host: string;
  port: number;
  storeDir: string;
  /** Only these users can connect; with none, every client that reaches the port can do anything. */
  users: readonly NatsUser[];
  /** Whether what JetStream has acknowledged survives a power cut. */
  isDurable?: boolean;
  /** Files with the server's certificate and key; connections without TLS are refused then. */
  tls?: { certificate: string; key: string };
  /** The other servers of a cluster, and where this one listens for them. */
  cluster?: { serverName: string; port: number; routes: readonly string[] };
}

/** The configuration file of a server as our services want it; write it for the owner's eyes only. */
export function natsServerConfig(settings: NatsServerSettings): string {
  const { host, port, storeDir, users, isDurable = false, tls, cluster } = settings;
  const config = {
    host,
    port,
    max_payload: limits.maxPayload,
    // A client that is stopped or cut off is noticed within half a minute, and a slow one cannot hold up the others.
    ping_interval: '10s',
    ping_max: 2,
    write_deadline: '5s',
    jetstream: {
      store_dir: storeDir,
      max_file_store: 2 * gibibyte,
      max_memory_store: gibibyte / 4,
      ...(isDurable && { sync_interval: 'always' }),
    },
    ...(users.length > 0 && { authorization: { users: users.map(userEntry) } }),
    ...(tls && { tls: { cert_file: tls.certificate, key_file: tls.key } }),
    ...(cluster && {
      server_name: cluster.serverName,
      cluster: { name: 'berth', host, port: cluster.port, routes: cluster.routes },
    }),
  };
  // NATS reads JSON as its own format.
  return `${JSON.stringify(config, null, 2)}\n`;
}

const userEntry = ({ name, password, permissions }: NatsUser) => ({
  user: name,
  password,
  ...(permissions && { permissions }),
});

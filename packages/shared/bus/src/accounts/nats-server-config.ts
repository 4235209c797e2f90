import { limits } from '../protocol/limits.ts';
import type { NatsAccount, NatsUser } from './nats-accounts.ts';

const gibibyte = 1024 ** 3;

export interface NatsServerSettings {
  host: string;
  port: number;
  storeDir: string;
  /** Only users of these accounts can connect. Without accounts, any client that reaches the port can do anything. */
  accounts: readonly NatsAccount[];
  /** Whether what JetStream has acknowledged survives a power cut. */
  isDurable?: boolean;
  /** Files with the server's certificate and key; connections without TLS are refused then. */
  tls?: { certificate: string; key: string };
  /** The other servers of a cluster, and where this one listens for them. */
  cluster?: { serverName: string; port: number; routes: readonly string[] };
}

/** The configuration file of a NATS server for our services. It holds passwords, so only its owner may read it. */
export function natsServerConfig(settings: NatsServerSettings): string {
  const { host, port, storeDir, accounts, isDurable = false, tls, cluster } = settings;
  const config = {
    host,
    port,
    max_payload: limits.maxPayload,
    // Detects a stopped client within half a minute, and keeps a slow one from delaying the others.
    ping_interval: '10s',
    ping_max: 2,
    write_deadline: '5s',
    jetstream: {
      store_dir: storeDir,
      max_file_store: 2 * gibibyte,
      max_memory_store: gibibyte / 4,
      ...(isDurable && { sync_interval: 'always' }),
    },
    ...(accounts.length > 0 && { accounts: Object.fromEntries(accounts.map(accountEntry)) }),
    ...(tls && { tls: { cert_file: tls.certificate, key_file: tls.key } }),
    ...(cluster && {
      server_name: cluster.serverName,
      cluster: { name: 'berth', host, port: cluster.port, routes: cluster.routes },
    }),
  };
  // NATS configuration files accept JSON.
  return `${JSON.stringify(config, null, 2)}\n`;
}

const accountEntry = ({ name, users, hasJetStream, exports = [], imports = [] }: NatsAccount) => [
  name,
  {
    users: users.map(userEntry),
    ...(hasJetStream && { jetstream: 'enabled' }),
    exports: exports.map(({ subject, to, hasManyAnswers }) => ({
      service: subject,
      accounts: to,
      response_type: hasManyAnswers ? 'stream' : 'singleton',
    })),
    imports: imports.map(({ account, subject }) => ({ service: { account, subject } })),
  },
];

const userEntry = ({ name, password, permissions }: NatsUser) => ({
  user: name,
  password,
  ...(permissions && { permissions }),
});

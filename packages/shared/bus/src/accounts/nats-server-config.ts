import { limits } from '../protocol/limits.ts';
import type { NatsAccount, NatsUser } from './nats-accounts.ts';

const gibibyte = 1024 ** 3;

export interface NatsServerSettings {
  host: string;
  port: number;
  storeDir: string;
  /** Only their users can connect; with no account, every client that reaches the port can do anything. */
  accounts: readonly NatsAccount[];
  /** Whether what JetStream has acknowledged survives a power cut. */
  isDurable?: boolean;
  /** Files with the server's certificate and key; connections without TLS are refused then. */
  tls?: { certificate: string; key: string };
  /** The other servers of a cluster, and where this one listens for them. */
  cluster?: { serverName: string; port: number; routes: readonly string[] };
}

/** The configuration file of a server as our services want it; write it for the owner's eyes only. */
export function natsServerConfig(settings: NatsServerSettings): string {
  const { host, port, storeDir, accounts, isDurable = false, tls, cluster } = settings;
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
    ...(accounts.length > 0 && { accounts: Object.fromEntries(accounts.map(accountEntry)) }),
    ...(tls && { tls: { cert_file: tls.certificate, key_file: tls.key } }),
    ...(cluster && {
      server_name: cluster.serverName,
      cluster: { name: 'berth', host, port: cluster.port, routes: cluster.routes },
    }),
  };
  // NATS reads JSON as its own format.
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

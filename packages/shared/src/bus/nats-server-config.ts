import { limits } from './limits.ts';
import type { NatsPermissions } from './permissions.ts';

export interface NatsUser {
  user: string;
  /** In clear or as a bcrypt hash. */
  password: string;
  /** Without them the user may do everything; for operators and tests. */
  permissions?: NatsPermissions | undefined;
}

export interface NatsServerSettings {
  host: string;
  port: number;
  storeDir: string;
  users: readonly NatsUser[];
  /** Monitoring, on loopback. */
  monitorPort?: number | undefined;
  maxFileStore?: string | undefined;
}

/** The configuration file of a server as our services want it; write it for the owner's eyes only. */
export function natsServerConfig(settings: NatsServerSettings): string {
  const { host, maxFileStore = '2GB', monitorPort, port, storeDir, users } = settings;
  const lines = [
    `listen: ${JSON.stringify(`${host}:${port}`)}`,
    ...(monitorPort === undefined ? [] : [`http: "127.0.0.1:${monitorPort}"`]),
    `max_payload: ${limits.maxPayload}`,
    // A paused or vanished peer is noticed by both sides within seconds.
    'ping_interval: "10s"',
    'ping_max: 2',
    'write_deadline: "5s"',
    `jetstream: { store_dir: ${JSON.stringify(storeDir)}, max_file_store: ${maxFileStore}, max_memory_store: 256MB }`,
    `authorization: { users: ${JSON.stringify(users.map(userEntry), null, 2)} }`,
  ];
  return `${lines.join('\n')}\n`;
}

const userEntry = ({ user, password, permissions }: NatsUser) => ({
  user,
  password,
  ...(permissions && { permissions }),
});

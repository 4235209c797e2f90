import type { Bus } from '@berth/bus/bus';
import { type BusOptions, connectBus } from '@berth/bus/connect-bus';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { every } from '@berth/service/loop';
import { runService } from '@berth/service/run-service';
import type { Service } from '@berth/service/service';
import { auditRetention } from '../audit/audit-retention.ts';
import { createDeniedAttempts, type DeniedAttempts } from '../audit/denied-attempts.ts';
import type { Database } from '../database.ts';
import { forgetIdempotencyKeys } from '../idempotency/forget-idempotency-keys.ts';
import { outboxRelay } from '../outbox/outbox-relay.ts';
import { databaseIsUp, openDatabase } from '../postgres/open-database.ts';

export interface OwnerConfig {
  databaseUrl: string;
  bus: Omit<BusOptions, 'caller' | 'log'>;
  /** How long audit events are kept. */
  auditDays: number;
}

/** The parameters of a service's `wire`, if it has a database. */
export interface OwnerService extends Service {
  readonly db: Database;
  readonly denied: DeniedAttempts;
  /**
   * Connects to the bus and starts the common work of owners: publishing rows, auditing denied attempts, removing old entries.
   */
  connect(identities?: Pick<BusOptions, 'verifyIdentity'>): Promise<Bus>;
}

export interface OwnerStart<Config> {
  config: () => Config;
  /** The folder of numbered .sql files. */
  migrations: URL;
  /** The size of the pool. */
  maxConnections?: number;
}

/** Runs a service that owns rows: `wire` is called once its database is migrated and open. */
export const runOwnerService = <Config extends OwnerConfig>(
  name: ServiceName,
  { config: readConfig, migrations, ...pool }: OwnerStart<Config>,
  wire: (service: OwnerService, config: Config) => Promise<void>,
): Promise<void> =>
  runService(name, async (service) => {
    const { log, metrics, signal, use, loop, readiness } = service;
    const config = readConfig();
    const url = config.databaseUrl;
    const db = use(await openDatabase({ url, migrations, log, signal, applicationName: name, ...pool }));
    const denied = use(createDeniedAttempts({ db, log }));

    const connect: OwnerService['connect'] = async (identities = {}) => {
      const onDenied = denied.note;
      const bus = use(await connectBus({ ...config.bus, ...identities, caller: name, log, metrics, signal, onDenied }));
      readiness('database', () => databaseIsUp(db));
      loop('publish state', outboxRelay({ db, bus, owner: name, log }));
      loop('record denied attempts', every(1_000, denied.write));
      loop('remove old audit events', auditRetention({ db, metrics, days: config.auditDays }));
      loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
      return bus;
    };

    await wire({ ...service, db, denied, connect }, config);
  });

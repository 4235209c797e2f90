import { natsAccounts } from '@berth/shared/bus/accounts/nats-accounts';
import { natsServerConfig } from '@berth/shared/bus/accounts/nats-server-config';
import { type CallerName, callerNames } from '@berth/shared/contracts/contract';

/** What the chart puts in the place of a password. */
const placeholderOf = (name: CallerName): string => `<password of ${name}>`;

/** The configuration of a NATS server with the users and permissions of the contracts, for the chart to fill in. */
export function natsFile(): string {
  const passwords = Object.fromEntries(callerNames.map((name) => [name, placeholderOf(name)])) as Record<
    CallerName,
    string
  >;
  return natsServerConfig({ host: '0.0.0.0', port: 4222, storeDir: '/data', accounts: natsAccounts({ passwords }) });
}

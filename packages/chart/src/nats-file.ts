import { natsAccounts } from '@berth/bus/accounts/nats-accounts';
import { natsServerConfig } from '@berth/bus/accounts/nats-server-config';
import type { CallerName } from '@berth/contracts/definition/contract';

/** The placeholder that the chart replaces with a password. */
const placeholderOf = (name: CallerName): string => `<password of ${name}>`;

/** The configuration of a NATS server with the users and permissions of the contracts, for the chart to fill in. */
export function natsFile(): string {
  const passwords: Record<CallerName, string> = {
    'api-gateway': placeholderOf('api-gateway'),
    auth: placeholderOf('auth'),
    tasks: placeholderOf('tasks'),
    'cluster-sync': placeholderOf('cluster-sync'),
    'registry-scan': placeholderOf('registry-scan'),
    runner: placeholderOf('runner'),
  };
  return natsServerConfig({ host: '0.0.0.0', port: 4222, storeDir: '/data', accounts: natsAccounts({ passwords }) });
}

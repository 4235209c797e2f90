import { natsAccounts } from '@berth/bus/accounts/nats-accounts';
import { natsServerConfig } from '@berth/bus/accounts/nats-server-config';
import type { CallerName } from '@berth/contracts/definition/contract';

/** A placeholder that the chart replaces with a password. */
const placeholderOf = (name: CallerName): string => `<password of ${name}>`;

/** The configuration of a NATS server for the chart to complete, with users and permissions from the contracts. */
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

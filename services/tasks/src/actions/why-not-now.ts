import type { Action } from '@berth/chart-extensions/files/actions';
import type { Features } from '@berth/chart-extensions/files/features';
import type { ReportedStatus } from '@berth/contracts/resources/deployments/reported-status';

/**
 * Why an action may not be invoked at the reported status; null if it may. A chart without a status cannot restrict its
 * actions. While a status is unknown, restricted actions are refused.
 */
export function whyNotNow(
  { allowed_on_statuses: allowed }: Pick<Action, 'allowed_on_statuses'>,
  { status: reports }: Pick<Features, 'status'>,
  reported: ReportedStatus | null,
): string | null {
  if (allowed.length === 0 || reports === undefined) return null;
  const name = reported?.content?.status.name;
  if (name !== undefined && allowed.includes(name)) return null;
  const when = `The action may be invoked while the reported status is ${allowed.slice(0, 10).join(', ')}`;
  return `${when}; ${name === undefined ? 'no status is known now' : `it is ${name}`}`;
}

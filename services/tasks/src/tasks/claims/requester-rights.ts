import type { Identity } from '@berth/contracts/access/identity';
import type { KindScope, Rule } from '@berth/contracts/access/rules';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { Requester } from '../../records/requester.ts';

/** The requester with its present rights. */
export type Current = { identity: Identity } | { missing: 'unknown' | 'inactive' };

/** A deployment's identity from our own rows; auth, which has a projection of them, would issue the same. */
export function currentDeployment(
  row: Pick<DeploymentRecord, 'id' | 'env_id' | 'enabled' | 'deleting'> | null,
): Current {
  if (row === null || row.deleting) return { missing: 'unknown' };
  if (!row.enabled) return { missing: 'inactive' };
  return { identity: { kind: 'deployment', id: row.id, env_id: row.env_id } };
}

/** Why a scheduled task may no longer run on behalf of its requester; null if it may. */
export function whyNotAllowed(
  requester: Requester | null,
  current: Current | null,
  { rule, deployment }: { rule: Rule<KindScope>; deployment: DeploymentRecord },
): string | null {
  if (!requester || !current) return 'Its requester is not known: request it again';
  const who = `${requester.kind === 'user' ? 'The user who' : `The ${requester.kind} that`} requested it`;
  if ('missing' in current) {
    if (current.missing === 'unknown') return `${who} no longer exists`;
    return requester.kind === 'deployment' ? `${who} is disabled` : `${who} is no longer active`;
  }
  return rule.allows(current.identity, deployment) ? null : `${who} is no longer ${rule.says}`;
}

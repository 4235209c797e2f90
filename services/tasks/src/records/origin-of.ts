import type { Identity } from '@berth/contracts/access/identity';
import type { Origin } from './new-task.ts';
import type { Canceler } from './canceler.ts';

/**
 * Tasks requested by bots record neither a user nor a deployment; the audit log names the bot (Specification, "Deployment task").
 */
export const originOf = ({ identity, requestId }: { identity: Identity; requestId: string }): Origin => ({
  acting_user_id: identity.kind === 'user' ? identity.id : null,
  acting_deployment_id: identity.kind === 'deployment' ? identity.id : null,
  requester: { kind: identity.kind, id: identity.id },
  request_id: requestId,
});

export const cancelerOf = (identity: Identity, reason: string | null): Canceler => ({
  user_id: identity.kind === 'user' ? identity.id : null,
  deployment_id: identity.kind === 'deployment' ? identity.id : null,
  reason,
});

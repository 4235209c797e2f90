import { featuresOf } from '@berth/chart-extensions/files/features';
import type { Bus } from '@berth/bus/bus';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import type { ResourceCall } from '@berth/contracts/resources/tasks/resource-calls';
import { AppError, Bug } from '@berth/contracts/errors';
import { publicResource } from '../../records/resource-record.ts';
import { openProps, textsIn } from '../../secrets/sealed-props.ts';
import type { SecretKeys } from '../../secrets/secret-keys.ts';
import type { DueCall } from '../../store/resources/resource-call-repository.ts';
import { bodyFor, hostOfCall } from '../../values/call-of-deployment.ts';
import { pendingOperation } from '../sync/sync.ts';
import { syncOf } from '../sync/sync-of.ts';
import { specOf } from '../type-spec.ts';

export interface CallForDeps {
  bus: Pick<Bus, 'call'>;
  secretKeys: SecretKeys;
}

/** The call that the runner makes: the resource with all props, including sensitive ones, and a token for this call. */
export async function callFor(
  { bus, secretKeys }: CallForDeps,
  due: DueCall,
  deadlineMs: number,
): Promise<ResourceCall['call']> {
  const operation = pendingOperation(syncOf(due));
  const target = operation && specOf(due.spec).lifecycle[operation]?.target;
  if (!target || due.deployment_id === null) throw new Bug('The claimed resource has no call to make');
  const { ingress } = featuresOf(due.features);
  if (!ingress.enabled) {
    throw new AppError('unprocessable', `The chart of ${due.namespace} has no ingress, so it cannot be called`);
  }

  const { path, method } = target;
  const sensitive = openProps(secretKeys, due);
  const { revision: _revision, ...row } = publicResource({ ...due, sensitive: [] });
  const body = { ...row, props: { ...due.props, ...sensitive } };
  const { access_token: token } = await bus.call(
    deploymentTokens.operations.issue_for_call,
    { body: { deployment_id: due.deployment_id, method, path } },
    { deadlineMs },
  );
  return {
    host: hostOfCall(due),
    path,
    method,
    body: bodyFor(method, body),
    token,
    hidden: textsIn(sensitive),
    is_deletion: operation === 'delete',
  };
}

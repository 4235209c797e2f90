import type { Bus } from '@berth/bus/bus';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { clusterUsage } from '@berth/contracts/resources/clusters/cluster-usage';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import type { Usage } from '@berth/contracts/fields/usage';
import { AppError } from '@berth/contracts/errors';

export interface EnvUsage {
  clusters: Usage;
  secrets: Usage;
  deployment_resources: Usage;
}

/** Reads from the owners: a deletion must not rest on a projection. */
export async function usageOfEnv(
  bus: Pick<Bus, 'call'>,
  envId: string,
  { requestId, signal }: Pick<HandlerContext, 'requestId' | 'signal'>,
): Promise<EnvUsage> {
  const request = { body: { env_id: envId } };
  const [{ clusters }, { secrets, deployment_resources }] = await Promise.all([
    bus.call(clusterUsage.operations.of_env, request, { requestId, signal }),
    bus.call(deploymentUsage.operations.of_env, request, { requestId, signal }),
  ]);
  return { clusters, secrets, deployment_resources };
}

/** An env that still contains something is not deleted: 409 names the contents. */
export function refuseWhileInUse({ clusters, secrets, deployment_resources }: EnvUsage): void {
  const uses = [
    inWords(clusters, 'cluster'),
    inWords(secrets, 'secret'),
    inWords(deployment_resources, 'deployment resource'),
  ].filter((words) => words !== null);
  if (uses.length > 0) throw new AppError('conflict', `The env is in use by ${uses.join(', and by ')}`);
}

function inWords({ count, names }: Usage, thing: string): string | null {
  if (count === 0) return null;
  const unnamed = count - names.length;
  const rest = unnamed > 0 ? ` and ${unnamed} more` : '';
  return `${count} ${thing}${count === 1 ? '' : 's'} (${names.join(', ')}${rest})`;
}

import type { Bus } from '@berth/bus/bus';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { AppError } from '@berth/contracts/errors';
import type { FoundNamespace } from './found-namespace.ts';
import type { NamespaceRecord } from './namespace-record.ts';
import type { NamespaceRepository } from './namespace-repository.ts';

export interface AdoptNamespaceDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly namespaceRepository: Pick<NamespaceRepository, 'insert'>;
}

const deadlineMs = 2_000;
/** The pause after a failure, so that a list of many namespaces does not wait for each of them. */
const pauseMs = 15_000;

/**
 * Records a namespace that a runner of the previous version created, if `tasks` confirms that the deployment it names is installed
 * there. Namespaces of this version have records and marks.
 */
export function adoptNamespace({ bus, namespaceRepository }: AdoptNamespaceDeps) {
  let notBefore = 0;

  return async (clusterId: string, found: FoundNamespace): Promise<NamespaceRecord | null> => {
    const { name, uid, mark, namedDeployment } = found;
    if (mark !== null || namedDeployment === null || performance.now() < notBefore) return null;
    try {
      const { deployment } = await bus.call(
        deploymentPlace.operations.now,
        { body: { deployment_id: namedDeployment } },
        { deadlineMs },
      );
      const isThere =
        deployment?.cluster_id === clusterId && deployment.namespace === name && deployment.revision_id !== null;
      if (!isThere) return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notBefore = performance.now() + pauseMs;
      return null;
    }
    return namespaceRepository.insert({ clusterId, name }, { deployment_id: namedDeployment, mark: null, uid });
  };
}

import { createAccountRepository } from './access/account-repository.ts';
import { clusterAccessHandlers } from './access/cluster-access-handlers.ts';
import { createPrepareCluster } from './access/prepare-cluster.ts';
import { deploymentCredentialsHandlers } from './credentials/deployment-credentials-handlers.ts';
import { deploymentNamespaceHandlers } from './entering/deployment-namespace-handlers.ts';
import { bindGrants } from './grants/bind-grants.ts';
import { createBindingRepository } from './grants/binding-repository.ts';
import type { Parts } from './parts.ts';

/** The way of a runner's claim into its cluster: the namespace, access to it, and the credentials of the deployment. */
export function serveRunners(parts: Parts): void {
  const { config, db, bus, clusterRepository, credentialRepository, namespaceRepository, directory } = parts;
  const place = { bus, clusterRepository, directory };
  const bindingRepository = createBindingRepository(db);

  bus.serve(
    deploymentNamespaceHandlers({
      ...config,
      ...place,
      namespaceRepository,
      accountRepository: createAccountRepository(db),
      prepareCluster: createPrepareCluster(config.deployersNamespace),
      bindingRepository,
      bindGrants: bindGrants({ bindingRepository }),
    }),
  );
  bus.serve(clusterAccessHandlers({ ...config, ...place }));
  bus.serve(
    deploymentCredentialsHandlers({ ...place, credentialRepository, writeCredentials: parts.writeCredentials }),
  );
}

import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import { PostgresError } from '@berth/db/postgres/errors/postgres-error';

/** Words the refusal of a name that another deployment of the cluster holds; other errors are thrown as they are. */
export const nameTaken =
  ({ name, namespace }: { name: string; namespace: string }) =>
  (error: unknown): never => {
    const ofKind = name === '' ? 'of this kind' : `named ${name} of this kind`;
    const inNamespace = `The cluster has a deployment in namespace ${namespace} already`;
    const hostname = `Another deployment of the cluster has the hostname that the chart makes of the name ${name || namespace}`;
    const words = {
      deployments_name_key: `The cluster has a deployment ${ofKind} already`,
      deployments_namespace_key: inNamespace,
      names_on_clusters_namespace: inNamespace,
      deployments_ingress_name_key: hostname,
      names_on_clusters_hostname: hostname,
    };
    const broken = Object.entries(words).find(
      ([constraint]) => error instanceof PostgresError && error.constraint === constraint,
    );
    if (!broken) throw error;
    return conflictOn(...broken)(error);
  };

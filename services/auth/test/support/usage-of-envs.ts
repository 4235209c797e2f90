import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { clusterUsage } from '@berth/contracts/resources/clusters/cluster-usage';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import type { Usage } from '@berth/contracts/fields/usage';

const none: Usage = { count: 0, names: [] };

/** The answers of owners about their rows in an env, by env id. */
export class UsageOfEnvs {
  readonly clusters = new Map<string, Usage>();
  readonly secrets = new Map<string, Usage>();

  serve(clusterSync: Bus, tasks: Bus): void {
    clusterSync.serve(
      implement(clusterUsage, {
        of_env: async ({ body }) => ({ clusters: this.clusters.get(body.env_id) ?? none }),
      }),
    );
    tasks.serve(
      implement(deploymentUsage, {
        of_cluster: async () => ({ deployments: none }),
        of_env: async ({ body }) => ({ secrets: this.secrets.get(body.env_id) ?? none, deployment_resources: none }),
      }),
    );
  }
}

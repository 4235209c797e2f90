import type { Bus } from '@berth/shared/bus/bus';
import { implement } from '@berth/shared/bus/rpc/implement';
import { clusterUsage } from '@berth/shared/contracts/resources/cluster-usage';
import { deploymentUsage } from '@berth/shared/contracts/resources/deployment-usage';
import type { Usage } from '@berth/shared/contracts/resources/usage';

const none: Usage = { count: 0, names: [] };

/** The owners' answers about the use of an env, by env id. */
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

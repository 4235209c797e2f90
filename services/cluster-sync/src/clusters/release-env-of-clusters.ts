import type { Bus } from '@berth/shared/bus/bus';
import { envs } from '@berth/shared/contracts/envs';
import type { Loop } from '@berth/shared/service/service';
import type { ClusterRepository } from './cluster-repository.ts';

export interface ReleaseEnvDeps {
  readonly bus: { readonly state: Pick<Bus['state'], 'follow'> };
  readonly clusterRepository: Pick<ClusterRepository, 'releaseEnv'>;
}

/** Auth asks for clusters before it deletes an env; this takes back one that was given to it in that very moment. */
export const releaseEnvOfClusters =
  ({ bus, clusterRepository }: ReleaseEnvDeps): Loop =>
  (signal) =>
    bus.state.follow(envs, {
      signal,
      apply: async ({ operation, id }) => {
        if (operation === 'DELETE') await clusterRepository.releaseEnv(id);
      },
    });

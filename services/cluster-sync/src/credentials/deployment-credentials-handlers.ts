import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError, nullIfMissing } from '@berth/kube/kube-error';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { serviceCreds, upstreamCredentials } from '@berth/contracts/fields/kubernetes-names';
import { deploymentCredentials } from '@berth/contracts/resources/clusters/deployment-credentials';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError, found } from '@berth/contracts/errors';
import { z } from 'zod';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';
import { secretPath } from './apply-credentials.ts';
import type { CredentialRepository } from './credential-repository.ts';
import { type FoundSecret, foundSecret } from './found-secret.ts';
import { removeUpstreamCredentials, writeUpstreamCredentials } from './upstream-credentials.ts';
import type { WriteCredentials } from './write-credentials.ts';

export interface DeploymentCredentialsHandlersDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly credentialRepository: Pick<CredentialRepository, 'issuedIn' | 'keepUpstream'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly writeCredentials: WriteCredentials;
}

const WithData = z.object({ data: z.record(z.string(), z.string()) });
const deadlineMs = 5_000;
/** At a first install the runner calls while it creates the namespace; it calls again if this was too short. */
const namespaceWithinMs = 500;

/** Writes the Secret before a release starts, since its pods may mount it at once. */
export const deploymentCredentialsHandlers = (deps: DeploymentCredentialsHandlersDeps) => {
  const { bus, clusterRepository, credentialRepository, directory, writeCredentials } = deps;

  /** Where the claim works. */
  async function placeOf(body: { task_id: string; fence: number }, requestId: string) {
    const claim = await bus.call(taskClaims.operations.get, { body }, { requestId });
    if (claim.is_dry_run) throw new AppError('forbidden', 'A plan changes nothing, so its runner gets no credentials');
    const { cluster_id: clusterId, namespace, deployment_id: deploymentId } = claim;
    const { provider_id, name, ignore, env_id } = found(
      await clusterRepository.find(clusterId, 'all'),
      k8sClusters.singular,
    );
    if (ignore) throw new AppError('unavailable', `The cluster ${name} is ignored`);
    const connection = directory.connectionTo(provider_id);
    if (!connection || env_id === null) throw unusable(name);
    return { api: connection.api, clusterId, envId: env_id, namespace, deploymentId };
  }
  type Place = Awaited<ReturnType<typeof placeOf>>;

  async function write(place: Place, signal: AbortSignal) {
    const { api, clusterId, namespace } = place;
    const reading = readSecret(api, namespace, signal);
    reading.catch(() => undefined);
    const issued = await credentialRepository.issuedIn(clusterId, namespace);
    if (issued && issued.refresh_in_ms > 0 && (await reading)?.digest === issued.digest) {
      return { expires_at: issued.expires_at, reason: null };
    }
    const check = reading.then(refuseOfChart);
    const written = await writeCredentials(place, { signal, namespaceWithinMs, check });
    switch (written.kind) {
      case 'written':
        return { expires_at: written.expiresAt, reason: null };
      case 'refused':
        return { expires_at: null, reason: written.reason };
      default:
        throw new AppError('unavailable', `The namespace ${namespace} does not exist yet, or was deleted`);
    }
  }

  /** The same token under both names, so that one record and one refresh serve both. */
  async function writeUpstream(place: Place, signal: AbortSignal) {
    const { reason } = await write(place, signal);
    if (reason !== null) return { reason };
    // Before the token is read, so that a refresh in between writes its own, and one after a refusal tries again.
    await credentialRepository.keepUpstream(place, true);
    const path = secretPath(place.namespace, serviceCreds);
    const read = await place.api.getJson(path, { signal, deadlineMs, answer: 'secret' });
    return { reason: await writeUpstreamCredentials(place, WithData.parse(read).data, signal) };
  }

  async function removeUpstream(place: Place, signal: AbortSignal): Promise<null> {
    await credentialRepository.keepUpstream(place, false);
    await removeUpstreamCredentials(place, signal);
    return null;
  }

  return implement(deploymentCredentials, {
    write: async ({ body }, { signal, requestId }) => {
      const place = await placeOf(body, requestId);
      return write(place, signal).catch(explain(place.api, serviceCreds));
    },
    write_upstream: async ({ body }, { signal, requestId }) => {
      const place = await placeOf(body, requestId);
      return writeUpstream(place, signal).catch(explain(place.api, upstreamCredentials));
    },
    remove_upstream: async ({ body }, { signal, requestId }) => {
      const place = await placeOf(body, requestId);
      return removeUpstream(place, signal).catch(explain(place.api, upstreamCredentials));
    },
  });
};

const explain =
  ({ server }: Pick<KubeApi, 'server'>, secret: string) =>
  (error: unknown): never => {
    if (error instanceof AppError) throw error;
    const reason = describeClusterFailure(error, server);
    const code = error instanceof KubeError && error.status === 403 ? 'conflict' : 'unavailable';
    throw new AppError(code, `${secret} could not be written: ${reason}`, { cause: error });
  };

const unusable = (cluster: string) =>
  new AppError('unavailable', `The cluster ${cluster} has no env, or no source of clusters lists it now`);

function refuseOfChart(secret: FoundSecret | null): void {
  if (!secret?.isOfChart) return;
  throw new AppError('conflict', `The chart has a Secret named ${serviceCreds}; the name belongs to Berth`);
}

async function readSecret(api: KubeApi, namespace: string, signal: AbortSignal): Promise<FoundSecret | null> {
  const path = secretPath(namespace, serviceCreds);
  return foundSecret(await nullIfMissing(api.getJson(path, { signal, deadlineMs, answer: 'secret' })));
}

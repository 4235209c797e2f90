import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import type { Bus } from '@berth/bus/bus';
import { serviceCreds } from '@berth/contracts/fields/kubernetes-names';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { AppError } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';
import { ownerOf } from '../namespaces/namespace-record.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { readNamespace } from '../namespaces/read-namespace.ts';
import { applyCredentials } from './apply-credentials.ts';
import type { CredentialRepository } from './credential-repository.ts';
import { credentialsDigest } from './found-secret.ts';
import { nextRefreshMs } from './next-refresh.ts';
import { writeUpstreamCredentials } from './upstream-credentials.ts';

export interface WriteCredentialsDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly credentialRepository: Pick<CredentialRepository, 'record'>;
  readonly namespaceRepository: Pick<NamespaceRepository, 'find'>;
}

/** Where the Secret is written. */
interface CredentialPlace {
  readonly api: Pick<KubeApi, 'getJson' | 'applyJson' | 'deleteJson'>;
  readonly clusterId: string;
  /** The env of the cluster: tokens of another env are not written into it. */
  readonly envId: string;
  readonly namespace: string;
  readonly deploymentId: string;
}

type WrittenCredentials =
  | { readonly kind: 'written'; readonly digest: string; readonly expiresAt: string; readonly refreshInMs: number }
  /** The namespace does not exist now, or does not belong to the deployment. */
  | { readonly kind: 'no_namespace' }
  /** The deployment may no longer call Berth. */
  | { readonly kind: 'refused'; readonly reason: string };

interface WriteOptions {
  readonly signal: AbortSignal;
  /** How long to wait for a namespace that is being created. */
  readonly namespaceWithinMs?: number;
  /** Must succeed before anything is written. */
  readonly check?: Promise<void>;
}

export type WriteCredentials = (place: CredentialPlace, options: WriteOptions) => Promise<WrittenCredentials>;

const deadlineMs = 5_000;

/** Issues a token and writes it; the caller decides when. After two concurrent writes the last one stays; both tokens are valid. */
export function createWriteCredentials({
  bus,
  credentialRepository,
  namespaceRepository,
}: WriteCredentialsDeps): WriteCredentials {
  async function issue({ deploymentId, envId }: CredentialPlace) {
    const body = { deployment_id: deploymentId, env_id: envId };
    try {
      return await bus.call(deploymentTokens.operations.issue, { body }, { deadlineMs });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return error.message;
    }
  }

  return async (place, { signal, namespaceWithinMs = 0, check }) => {
    const reading = isOfDeployment(place, { namespaceRepository, signal, withinMs: namespaceWithinMs });
    // A person may be waiting for the namespace, so the token is issued meanwhile, even though it may not be needed.
    if (namespaceWithinMs === 0 && !(await reading)) return { kind: 'no_namespace' };
    const [isOfItsDeployment, issued] = await Promise.all([reading, issue(place), check]);
    if (!isOfItsDeployment) return { kind: 'no_namespace' };
    if (typeof issued === 'string') return { kind: 'refused', reason: issued };
    signal.throwIfAborted();

    const { lifetime_seconds, ...credentials } = issued;
    const { deploymentId, clusterId, namespace } = place;
    const lifetimeMs = lifetime_seconds * 1_000;
    const refreshInMs = nextRefreshMs({ deploymentId, lifetimeMs, nowMs: Date.now(), random: Math.random() });
    const digest = credentialsDigest(credentials);
    const { expires_at } = credentials;
    // Recorded first: the watch may show the Secret before this call returns, and every replica must recognize it as ours.
    const { upstream } = await credentialRepository.record({
      deployment_id: deploymentId,
      cluster_id: clusterId,
      namespace,
      digest,
      expires_at,
      refreshInMs,
    });
    const data = base64Of(credentials);
    const isWritten = await applyCredentials(place, { name: serviceCreds, data }, signal);
    if (isWritten && upstream) await writeUpstreamCredentials(place, data, signal).catch(leaveRefused);
    return isWritten ? { kind: 'written', digest, expiresAt: expires_at, refreshInMs } : { kind: 'no_namespace' };
  };
}

const firstLookMs = 5;

interface Looking extends Pick<WriteCredentialsDeps, 'namespaceRepository'> {
  readonly signal: AbortSignal;
  readonly withinMs: number;
}

/** Keeps the token out of a namespace of the same name that belongs to somebody else. */
async function isOfDeployment(
  { api, clusterId, namespace: name, deploymentId }: CredentialPlace,
  { namespaceRepository, signal, withinMs }: Looking,
): Promise<boolean> {
  const read = () => readNamespace(api, name, signal);
  let found = await read();
  for (let waitedMs = 0, ms = firstLookMs; found === null && waitedMs < withinMs; waitedMs += ms, ms *= 2) {
    await pause(ms, signal);
    found = await read();
  }
  if (found === null || found.isTerminating) return false;
  return ownerOf(await namespaceRepository.find({ clusterId, name }), found) === deploymentId;
}

/** The first Secret is good. The log of the task that asked for the second one says why that was refused. */
function leaveRefused(error: unknown): null {
  if (error instanceof KubeError && error.status < 500) return null;
  throw error;
}

const base64Of = (texts: object): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]));

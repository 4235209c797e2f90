import type { z } from 'zod';
import type { ClusterClient, SomeOf, WorkloadName } from '../cluster/cluster-client.ts';
import {
  ClusterEvent,
  type CustomObject,
  Job,
  Pod,
  ReplicaSetMetadata,
  VolumeClaim,
  Workload,
} from '../cluster/kube-objects.ts';
import { type Awaited, awaitedHook, awaitedOf, type WorkloadOfKind } from './awaited.ts';
import type { WorkloadKind } from './rollout-of.ts';
import type { Explanations } from './pods-of.ts';

type Reader = Pick<ClusterClient, 'listSome' | 'readWorkload'>;

export interface AwaitedObjects {
  awaited: Awaited[];
  explanations: Explanations;
}

const plural = { Deployment: 'deployments', StatefulSet: 'statefulsets', DaemonSet: 'daemonsets' } as const;

interface Annotated {
  metadata?: { annotations?: Record<string, string> | null | undefined } | undefined;
}

const isOf =
  (release: string) =>
  ({ metadata }: Annotated): boolean =>
    metadata?.annotations?.['meta.helm.sh/release-name'] === release;
const isHook = ({ metadata }: Annotated): boolean => metadata?.annotations?.['helm.sh/hook'] !== undefined;

interface ReleaseRead {
  waits: boolean;
  failure: string | undefined;
  /** Reads the custom resources of the release. */
  custom: () => Promise<readonly CustomObject[]>;
  /** The kinds that the release has, once Helm and its hooks have ended; others are not listed. */
  kinds?: ReadonlySet<string>;
}

/**
 * The objects that Helm waits for in the release's namespace. A failed hook counts only if Helm's message names it: others are from
 * earlier runs. Lists are read one after the other, so that only one is in memory.
 */
export async function readAwaitedOfRelease(
  reader: Reader,
  release: string,
  { waits, failure = '', custom, kinds: known }: ReleaseRead,
): Promise<AwaitedObjects> {
  const list = lister(reader, release);
  const jobs = known ? [] : (await list({ kind: 'jobs', item: Job })).filter(isHook);
  const pods = await list({ kind: 'pods', item: Pod });
  const hookPods = pods.filter(isHook);
  const ofRelease = isOf(release);
  const workloads: WorkloadOfKind[] = [];
  const kinds: readonly WorkloadKind[] = waits ? ['Deployment', 'StatefulSet', 'DaemonSet'] : [];
  for (const kind of kinds.filter((one) => known?.has(one) ?? true)) {
    const found = await list({ kind: plural[kind], item: Workload });
    workloads.push(...found.filter(ofRelease).map((workload) => ({ ...workload, kind })));
  }
  const claims = await list({ kind: 'persistentvolumeclaims', item: VolumeClaim });
  const awaited = awaitedOf({
    hooks: jobs,
    workloads,
    pods: [...hookPods, ...(waits ? pods.filter(ofRelease) : [])],
    claims: waits ? claims.filter(ofRelease) : [],
    custom: waits ? await custom() : [],
  });
  const named = new Set(failure.split(/[^a-z0-9.-]+/));
  const failed = jobs.filter(({ metadata: { name } }) => named.has(name)).map(awaitedHook);
  const all = [...failed.filter(({ uid }) => !awaited.some((other) => other.uid === uid)), ...awaited];
  return { awaited: all, explanations: await explanationsOf(list, { awaited: all, pods, claims }) };
}

/** The objects that a restarted workload waits for. */
export async function readAwaitedOfWorkload(
  reader: Reader,
  namespace: string,
  name: WorkloadName,
): Promise<AwaitedObjects> {
  const list = lister(reader, namespace);
  const workload = await reader.readWorkload(namespace, name);
  const workloads = workload ? [{ ...workload, kind: name.kind }] : [];
  const awaited = awaitedOf({ hooks: [], workloads, pods: [], claims: [], custom: [] });
  const pods = awaited.length === 0 ? [] : await list({ kind: 'pods', item: Pod });
  const claims = awaited.length === 0 ? [] : await list({ kind: 'persistentvolumeclaims', item: VolumeClaim });
  return { awaited, explanations: await explanationsOf(list, { awaited, pods, claims }) };
}

type List = <T>(list: SomeOf<T>) => Promise<T[]>;

/** Empty if the cluster denies the list. */
const lister =
  ({ listSome }: Pick<ClusterClient, 'listSome'>, namespace: string): List =>
  async (list) =>
    (await listSome(namespace, list))?.items ?? [];

interface Found extends Pick<Explanations, 'pods' | 'claims'> {
  awaited: readonly Awaited[];
}

async function explanationsOf(list: List, { awaited, pods, claims }: Found): Promise<Explanations> {
  const known = { pods, claims };
  if (awaited.length === 0) return { ...known, replicaSets: [], events: [] };
  const isDeployment = awaited.some(({ kind }) => kind === 'Deployment');
  const replicaSets = isDeployment
    ? await list({ kind: 'replicasets', item: ReplicaSetMetadata, metadataOnly: true })
    : [];
  const warnings = await eventsWhere(list, 'type=Warning');
  // Kubernetes reports this as Normal.
  const isUnbound = claims.some(({ status }) => status?.phase !== 'Bound');
  const ofClaims = isUnbound ? await eventsWhere(list, 'involvedObject.kind=PersistentVolumeClaim') : [];
  return { ...known, replicaSets, events: [...warnings, ...ofClaims] };
}

const eventsWhere = (list: List, fieldSelector: string): Promise<z.infer<typeof ClusterEvent>[]> =>
  list({ kind: 'events', item: ClusterEvent, query: { fieldSelector } });

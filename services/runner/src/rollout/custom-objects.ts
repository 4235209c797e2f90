import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { type ApiKind, type KindName, pathOfObject } from '../cluster/api-kinds.ts';
import type { ClusterReader } from '../cluster/task-cluster.ts';
import { CustomObject } from '../cluster/kube-objects.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { type ManifestWork, readNames } from '../manifests/read-manifests.ts';
import { manifestInPayload } from '../release/release-payload.ts';
import { revisionsOf } from '../release/release-revisions.ts';

/** API groups of Kubernetes itself. Other groups hold custom resources. */
const ownGroups = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** Limit of explained objects, since each costs a request at each read. */
const mostObjects = 20;

type Reader = Pick<ClusterReader, 'releaseRevisions' | 'readSecret' | 'findKind' | 'readObject'>;
type Task = Pick<ClaimedTask, 'namespace' | 'task_id' | 'deployment_id'>;
type Named = Pick<KubeObject, 'apiVersion' | 'kind' | 'name'>;

/**
 * Reads the existing custom resources of the release that a task deploys. The manifest, which Helm stores before it waits, names
 * them and is read once. Unreadable ones are left out.
 */
export function customObjectsOf(task: Task, work: ManifestWork) {
  const { namespace } = task;
  const kinds = new Map<string, ApiKind>();
  let names: readonly Named[] | null = null;

  async function kindOf(reader: Reader, { apiVersion, kind }: KindName): Promise<ApiKind | null> {
    const key = `${apiVersion} ${kind}`;
    const found = kinds.get(key) ?? (await reader.findKind({ apiVersion, kind }));
    if (found) kinds.set(key, found);
    return found;
  }

  async function read(reader: Reader, object: Named): Promise<CustomObject[]> {
    const kind = await kindOf(reader, object);
    const path = kind && pathOfObject(kind, { name: object.name, namespace: kind.namespaced ? namespace : null });
    if (path === null) return [];
    const { data } = CustomObject.safeParse(await reader.readObject(path));
    return data === undefined ? [] : [data];
  }

  return async (reader: Reader, signal: AbortSignal): Promise<readonly CustomObject[]> => {
    const found: CustomObject[] = [];
    try {
      names ??= await namesInRelease(reader, task, { work, signal });
      for (const object of names ?? []) found.push(...(await read(reader, object)));
    } catch {
      // Ignored, so that the other objects are still explained.
    }
    return found;
  };
}

/** Null if Helm has not stored the release of this task yet. */
async function namesInRelease(
  reader: Reader,
  task: Task,
  { work, signal }: { work: ManifestWork; signal: AbortSignal },
): Promise<readonly Named[] | null> {
  const { namespace, deployment_id } = task;
  const stored = await manifestOfTask(reader, task);
  if (!stored) return null;
  const { manifest } = stored;
  // Reading YAML takes a process, and most releases have no custom resources.
  if (manifest === null || !mayHaveCustomObjects(manifest)) return [];
  const found = await readNames(manifest, { work, owner: deployment_id, signal }).catch(() => {
    signal.throwIfAborted();
    // An unreadable manifest stays unreadable, and each attempt may take seconds.
    return [];
  });
  return found
    .filter((object) => isCustom(object.apiVersion) && (object.namespace ?? namespace) === namespace)
    .slice(0, mostObjects)
    .map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name }));
}

/** The manifest of the release that the task has deployed; null if Helm has not stored it yet. */
export async function manifestOfTask(
  reader: Pick<Reader, 'releaseRevisions' | 'readSecret'>,
  { namespace, task_id }: Pick<Task, 'namespace' | 'task_id'>,
): Promise<{ manifest: string | null } | null> {
  const { own } = revisionsOf(namespace, (await reader.releaseRevisions(namespace, namespace)) ?? []);
  const mine = own.find(({ metadata: { labels } }) => labels?.[releaseLabels.task] === task_id);
  const secret = mine && (await reader.readSecret(namespace, mine.metadata.name));
  return secret ? { manifest: await manifestInPayload(secret.data?.['release'] ?? '') } : null;
}

const isCustom = (apiVersion: string): boolean => {
  const [group = '', version] = apiVersion.split('/');
  return version !== undefined && !ownGroups.has(group);
};

function mayHaveCustomObjects(manifest: string): boolean {
  for (const [, apiVersion = ''] of manifest.matchAll(
    /apiVersion["']?\s{0,9}:\s{0,9}["']?([\w.-]{1,253}\/\w{1,63})/g,
  )) {
    if (isCustom(apiVersion)) return true;
  }
  return false;
}

import { isJsonObject } from '@berth/contracts/fields/json';
import { managerOf } from '@berth/kube/manager-of';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { namespaceIn, pathOfObject } from '../cluster/api-kinds.ts';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { kubeObjectOf, metadataOf } from '../manifests/kube-object.ts';
import { readManifests, type ReadManifestsDeps } from '../manifests/read-manifests.ts';
import { ManagedElsewhere, permanent } from '../outcome/task-failure.ts';
import { adoptableRevision, stateProblem } from '../release/adoptable-revision.ts';
import { manifestInPayload, recordInPayload } from '../release/release-payload.ts';

const mostObjects = 500;
const atOnce = 8;

interface ToAdopt {
  status: string;
  manifest: string;
}

/**
 * The release that a deployment is to adopt, once it is sure that nothing else manages it; null if Berth has adopted it already.
 * Throws otherwise.
 */
export async function releaseToAdopt(
  release: string,
  client: ClusterClient,
  deps: ReadManifestsDeps,
): Promise<ToAdopt | null> {
  const found = adoptableRevision(release, await client.allRevisions(release));
  if (found === 'adopted') return null;
  refuse(found);
  const secret = await client.readSecret(release, found.newest);
  const payload = secret?.data?.['release'] ?? '';
  const record = await recordInPayload(payload);
  if (record?.version !== found.version)
    throw permanent(`The Helm release ${release} cannot be read: the Secret ${found.newest} is not what Helm wrote`);
  const problem = stateProblem(release, record.status);
  if (problem) refuse(problem);
  const manifest = (await manifestInPayload(payload)) ?? '';
  await refuseManaged(release, manifest, client, deps);
  return { status: record.status, manifest };
}

function refuse(problem: object): asserts problem is { newest: string; version: number } {
  if ('missing' in problem) throw permanent(String(problem.missing));
  if ('conflict' in problem) throw new ManagedElsewhere(String(problem.conflict));
}

/** By the objects as they are in the cluster: tools that manage a release mark them. */
async function refuseManaged(
  release: string,
  manifest: string,
  client: ClusterClient,
  deps: ReadManifestsDeps,
): Promise<void> {
  const [parsed] = await readManifests({ texts: [manifest], crds: '' }, deps);
  const objects = (parsed?.objects ?? []).flatMap(({ content }) => kubeObjectOf(content) ?? []);
  if (objects.length > mostObjects) throw permanent(`A release of more than ${mostObjects} objects is not adopted`);
  await eachAtMost(atOnce, objects, async (object) => {
    deps.signal.throwIfAborted();
    const kind = await client.findKind(object);
    const path = kind && pathOfObject(kind, { ...object, namespace: namespaceIn(kind, object, release) });
    const content = path === null ? null : await client.readObject(path);
    const live = isJsonObject(content) ? kubeObjectOf(content) : null;
    const manager =
      live && managerOf({ labels: textsOf(live, 'labels'), annotations: textsOf(live, 'annotations') }, release);
    if (manager)
      throw new ManagedElsewhere(
        `${object.kind} ${object.name} of the Helm release ${release} is managed by ${manager}, so Berth cannot adopt the release`,
      );
  });
}

const textsOf = (object: Parameters<typeof metadataOf>[0], map: 'labels' | 'annotations'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadataOf(object, map)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

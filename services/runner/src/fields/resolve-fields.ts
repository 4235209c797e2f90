import type { ClusterClient } from '../cluster/cluster-client.ts';
import { pathOfObject } from '../cluster/api-kinds.ts';
import { explainRefusedWork } from '../manifests/explain-refused-work.ts';
import { describeContested } from './describe-contested.ts';
import type { FieldsWork } from './fields-work.ts';
import { ownManager } from './fields-policy.ts';
import type { ResolvedFields, SharedReplicas } from './fields-of-manifests.ts';
import { type NamedObject, readOwned } from './read-owned.ts';

export interface ResolveDeps {
  client: Pick<ClusterClient, 'findKind' | 'readText' | 'shareFields'>;
  work: FieldsWork;
  /** The id of the deployment. */
  owner: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

interface Rendered {
  namespace: string;
  manifests: string;
  objects: readonly NamedObject[];
  /** Paths of fields to keep. */
  keep: readonly string[];
}

const withinMs = 30_000;
const maxAnswerBytes = 12 * 1024 * 1024;
const mostLines = 50;

/**
 * Decides what becomes of fields that others have changed, names them in the log, and returns what Helm is to apply; null: what it
 * has rendered.
 */
export async function resolveFields(rendered: Rendered, deps: ResolveDeps): Promise<string | null> {
  const { client, signal, work, owner, say } = deps;
  const { namespace, manifests, keep } = rendered;
  const { live, autoscalers, isPartial } = await readOwned(rendered.objects, { namespace, client, signal });
  if (isPartial) say('not all objects are compared with the cluster: there are too many, or they are too large');
  if (live.length === 0) return null;
  const resolved = await work
    .run(
      'fieldsOfManifests',
      { namespace, manifests, live, autoscalers, keep },
      { owner, signal, withinMs, maxAnswerBytes },
    )
    .catch(explainRefusedWork);
  for (const shared of resolved.share) await share(shared, client);
  sayAll(resolved, say);
  return resolved.manifests;
}

/** Somebody who wrote meanwhile owns the replicas now, which is as good. */
async function share(
  { replicas, uid, ...object }: SharedReplicas,
  client: Pick<ClusterClient, 'findKind' | 'shareFields'>,
): Promise<void> {
  const { apiVersion, kind, namespace, name } = object;
  const found = await client.findKind(object);
  const path = found && pathOfObject(found, object);
  if (!path) return;
  const metadata = { name, namespace, uid };
  await client.shareFields(path, { apiVersion, kind, metadata, spec: { replicas } }, ownManager);
}

function sayAll({ contested, more }: ResolvedFields, say: (line: string) => void): void {
  for (const one of contested.slice(0, mostLines)) say(describeContested(one));
  const left = Math.max(0, contested.length - mostLines) + more;
  if (left > 0) say(`and ${left} more fields that others have changed`);
}

import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError, nullIfMissing } from '@berth/kube/kube-error';
import { managedBy, upstreamCredentials } from '@berth/contracts/fields/kubernetes-names';
import { z } from 'zod';
import { applyCredentials, secretPath } from './apply-credentials.ts';

const Labelled = z.object({
  metadata: z.object({ uid: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
});
const deadlineMs = 5_000;

interface UpstreamPlace {
  readonly api: Pick<KubeApi, 'getJson' | 'applyJson' | 'deleteJson'>;
  readonly namespace: string;
}

/** Returns why it was not written: a Secret of that name that Berth has not made belongs to a chart or a person. */
export async function writeUpstreamCredentials(
  place: UpstreamPlace,
  data: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | null> {
  const found = await read(place, signal);
  if (found && !found.isOurs)
    return `the namespace ${place.namespace} has a Secret ${upstreamCredentials} that Berth has not made`;
  const isWritten = await applyCredentials(place, { name: upstreamCredentials, data }, signal);
  return isWritten ? null : `the namespace ${place.namespace} is being deleted`;
}

/** Removes the Secret if Berth has made it. */
export async function removeUpstreamCredentials(
  { api, namespace }: { api: Pick<KubeApi, 'getJson' | 'deleteJson'>; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await read({ api, namespace }, signal).catch((error: unknown) => {
    // Without the right to read it, Berth has not written it.
    if (error instanceof KubeError && error.status === 403) return null;
    throw error;
  });
  if (!found?.isOurs) return;
  const { uid } = found;
  const path = secretPath(namespace, upstreamCredentials);
  await nullIfMissing(api.deleteJson(path, { preconditions: { uid } }, { signal, deadlineMs }));
}

async function read({ api, namespace }: { api: Pick<KubeApi, 'getJson'>; namespace: string }, signal: AbortSignal) {
  const path = secretPath(namespace, upstreamCredentials);
  const secret = await nullIfMissing(api.getJson(path, { signal, deadlineMs, answer: 'secret' }));
  if (secret === null) return null;
  const { uid, labels } = Labelled.parse(secret).metadata;
  return { uid, isOurs: labels?.[managedBy.label] === managedBy.value };
}

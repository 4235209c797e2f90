import { answerLimits, parseAnswer } from '@berth/kube/answer-limits';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import { isJsonObject } from '@berth/contracts/fields/json';
import { jsonSizeOf } from '@berth/contracts/fields/json-size';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { type FindKind, pathOfObject } from '../../cluster/api-kinds.ts';
import { kubeFailure, statusOf } from '../../cluster/kube-failure.ts';
import { permanent } from '../../outcome/task-failure.ts';
import type { Live } from '../diff/diff-manifests.ts';
import { type KubeObject, keyOf, kubeObjectOf } from '../../manifests/kube-object.ts';

const atOnce = 8;
const deadlineMs = 10_000;
/** The limits for all objects together. The bytes alone would allow ten million members, which take a gigabyte of memory. */
const most = { bytes: 32 * 1024 * 1024, members: 500_000 };

export interface LiveDeps {
  api: Pick<KubeApi, 'getJson' | 'getBytes' | 'server'>;
  signal: AbortSignal;
}

/** The live state of the objects; missing ones are left out. */
export async function readLive(
  objects: readonly KubeObject[],
  findKind: FindKind,
  { api, signal }: LiveDeps,
): Promise<Map<string, Live>> {
  const live = new Map<string, Live>();
  let bytes = 0;
  let members = 0;

  async function read(object: KubeObject): Promise<void> {
    const kind = await findKind(object);
    const path = kind && pathOfObject(kind, object);
    if (path === null) {
      live.set(keyOf(object), 'unknown');
      return;
    }
    const reading = nullIfMissing(api.getBytes(path, { signal, deadlineMs, answer: 'object' }));
    const answer = await reading.catch((error: unknown) => {
      // Outside of its namespace the deployment cannot read objects without a grant.
      if (statusOf(error) === 403) return 'refused' as const;
      throw kubeFailure(`read an object ${object.kind}`, error, api.server);
    });
    if (answer === 'refused') live.set(keyOf(object), 'refused');
    if (answer === null || answer === 'refused') return;
    bytes += answer.length;
    members += jsonSizeOf(answer, answerLimits.object).members;
    if (bytes > most.bytes || members > most.members)
      throw permanent('The objects of the release are too large to be compared');
    const content = parseAnswer(answer, 'object');
    const found = kubeObjectOf(isJsonObject(content) ? content : undefined);
    if (found) live.set(keyOf(object), found);
  }

  const unique = [...new Map(objects.map((object) => [keyOf(object), object])).values()];
  await eachAtMost(atOnce, unique, async (object) => {
    signal.throwIfAborted();
    await read(object);
  });
  return live;
}

import type { KubeApi } from '@berth/kube/kube-api';
import { isJsonObject } from '@berth/shared/contracts/json';
import { z } from 'zod';
import { kubeFailure, statusOf } from '../../cluster/kube-failure.ts';
import { permanent } from '../../outcome/task-failure.ts';
import { type KubeObject, keyOf, kubeObjectOf } from '../diff/kube-object.ts';

const atOnce = 8;
const deadlineMs = 10_000;
/** Of all objects together. */
const maxCharacters = 32 * 1024 * 1024;

const ApiResources = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

export interface LiveDeps {
  api: Pick<KubeApi, 'getJson' | 'getText' | 'server'>;
  signal: AbortSignal;
}

export interface ApiKind {
  path: string;
  plural: string;
  namespaced: boolean;
}

/** Null: the cluster does not know the kind. */
export type FindKind = (object: Pick<KubeObject, 'apiVersion' | 'kind'>) => Promise<ApiKind | null>;

/** Text of a chart that becomes part of a path. */
const apiVersionForm = /^(?:[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?\/)?v[a-z0-9]{1,60}$/;
const nameForm = /^(?!\.{1,2}$)[^/%\s?#]{1,253}$/;

/** Where the API serves a kind; each group and version is read once. */
export function createKinds({ api, signal }: LiveDeps): FindKind {
  const known = new Map<string, Promise<z.infer<typeof ApiResources>['resources']>>();

  async function resourcesOf(path: string) {
    try {
      return ApiResources.parse(await api.getJson(path, { signal, deadlineMs })).resources;
    } catch (error) {
      if (statusOf(error) === 404) return [];
      throw kubeFailure('read the kinds that it knows', error, api.server);
    }
  }

  return async ({ apiVersion, kind }) => {
    if (!apiVersionForm.test(apiVersion)) return null;
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    let resources = known.get(path);
    if (!resources) known.set(path, (resources = resourcesOf(path)));
    const found = (await resources).find((one) => one.kind === kind && !one.name.includes('/'));
    return found ? { path, plural: found.name, namespaced: found.namespaced } : null;
  };
}

/** The same objects as the cluster has them; those that it lacks are left out. */
export async function readLive(
  objects: readonly KubeObject[],
  findKind: FindKind,
  { api, signal }: LiveDeps,
): Promise<Map<string, KubeObject | 'unknown'>> {
  const live = new Map<string, KubeObject | 'unknown'>();
  let characters = 0;

  async function read(object: KubeObject): Promise<void> {
    const kind = await findKind(object);
    const { namespace, name } = object;
    if (!kind || !nameForm.test(name) || (namespace !== null && !nameForm.test(namespace))) {
      live.set(keyOf(object), 'unknown');
      return;
    }
    const within = namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    const path = `${kind.path}${within}/${kind.plural}/${encodeURIComponent(name)}`;
    const text = await api.getText(path, { signal, deadlineMs }).catch((error: unknown) => {
      if (statusOf(error) === 404) return null;
      throw kubeFailure(`read an object ${object.kind}`, error, api.server);
    });
    if (text === null) return;
    characters += text.length;
    if (characters > maxCharacters) throw permanent('The objects of the release are too large to be compared');
    const content: unknown = JSON.parse(text);
    const found = kubeObjectOf(isJsonObject(content) ? content : undefined);
    if (found) live.set(keyOf(object), found);
  }

  const unique = [...new Map(objects.map((object) => [keyOf(object), object])).values()].values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const object of unique) {
      signal.throwIfAborted();
      await read(object);
    }
  });
  await Promise.all(workers);
  return live;
}

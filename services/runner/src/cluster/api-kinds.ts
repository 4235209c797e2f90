import type { KubeApi } from '@berth/kube/kube-api';
import { z } from 'zod';
import { kubeFailure, statusOf } from './kube-failure.ts';

const deadlineMs = 10_000;

const ApiResources = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

export interface ApiKindsDeps {
  api: Pick<KubeApi, 'getJson' | 'server'>;
  signal: AbortSignal;
}

export interface ApiKind {
  path: string;
  plural: string;
  namespaced: boolean;
}

export interface KindName {
  apiVersion: string;
  kind: string;
}

/** Null if the cluster does not have the kind. */
export type FindKind = (object: KindName) => Promise<ApiKind | null>;

/** The pattern for texts of a chart that go into a path. */
const apiVersionForm = /^(?:[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?\/)?v[a-z0-9]{1,60}$/;
const nameForm = /^(?!\.{1,2}$)[^/%\s?#]{1,253}$/;

/** Where the API serves a kind; each group and version is read once. */
export function createKinds({ api, signal }: ApiKindsDeps): FindKind {
  const known = new Map<string, Promise<z.infer<typeof ApiResources>['resources']>>();

  async function resourcesOf(path: string) {
    try {
      return ApiResources.parse(await api.getJson(path, { signal, deadlineMs, answer: 'discovery' })).resources;
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

/** The namespace in which Helm puts an object of a release; null for cluster-scoped kinds. A kind that is not known counts as namespaced. */
export const namespaceIn = (
  kind: Pick<ApiKind, 'namespaced'> | null,
  { namespace }: { namespace: string | null },
  releaseNamespace: string,
): string | null => (kind?.namespaced === false ? null : (namespace ?? releaseNamespace));

/** The path of one object; null if its names do not fit a path. */
export function pathOfObject(
  { path, plural }: Pick<ApiKind, 'path' | 'plural'>,
  { namespace, name }: { namespace: string | null; name: string },
): string | null {
  if (!nameForm.test(name) || (namespace !== null && !nameForm.test(namespace))) return null;
  const within = namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${path}${within}/${plural}/${encodeURIComponent(name)}`;
}

/** The path that creates the object of a path, with the fields that Helm owns and its strictness. */
export const creationOf = (pathOfOne: string): string =>
  `${pathOfOne.slice(0, pathOfOne.lastIndexOf('/'))}?fieldManager=helm&fieldValidation=Strict`;

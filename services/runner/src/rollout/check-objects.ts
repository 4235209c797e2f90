import { isJsonObject } from '@berth/contracts/fields/json';
import { type ApiKind, namespaceIn, pathOfObject } from '../cluster/api-kinds.ts';
import type { ClusterReader } from '../cluster/task-cluster.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { type Readiness, readinessOf } from './readiness.ts';

export type NamedObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/** The verdict on all objects together. `failed`: some will not become ready, and there is nothing left to wait for. */
export type Verdict = { is: 'ready' } | { is: 'waiting' | 'failed'; says: string };

type Reader = Pick<ClusterReader, 'findKind' | 'readObject'>;

/** The usual kinds, which cost no discovery. */
const inApps = { path: '/apis/apps/v1', namespaced: true };
const inCore = { path: '/api/v1', namespaced: true };
const usualKinds: Partial<Record<string, ApiKind>> = {
  'apps/v1 Deployment': { ...inApps, plural: 'deployments' },
  'apps/v1 StatefulSet': { ...inApps, plural: 'statefulsets' },
  'apps/v1 DaemonSet': { ...inApps, plural: 'daemonsets' },
  'batch/v1 Job': { path: '/apis/batch/v1', namespaced: true, plural: 'jobs' },
  'v1 Service': { ...inCore, plural: 'services' },
  'v1 PersistentVolumeClaim': { ...inCore, plural: 'persistentvolumeclaims' },
  'v1 Pod': { ...inCore, plural: 'pods' },
};

/** Identifies an object in messages and among those of a release. */
export const shownName = ({ kind, name }: Pick<NamedObject, 'kind' | 'name'>): string => `${kind} ${name}`;

/**
 * Checks the objects of a release one by one, the one that was not ready the last time first, and stops at the first that is awaited.
 * So a long wait costs one request at a time, and all objects are ready within one check in the end. `crashing` names controllers
 * whose pods crash, which Helm does not wait for either.
 */
export function checkObjects(objects: readonly NamedObject[], releaseNamespace: string) {
  let inOrder = objects;
  const kinds = new Map<string, ApiKind>();

  async function kindOf(reader: Reader, object: NamedObject): Promise<ApiKind | null> {
    const key = `${object.apiVersion} ${object.kind}`;
    const found = usualKinds[key] ?? kinds.get(key) ?? (await reader.findKind(object));
    if (found) kinds.set(key, found);
    return found;
  }

  async function readinessIn(reader: Reader, object: NamedObject): Promise<Readiness> {
    const kind = await kindOf(reader, object);
    const namespace = namespaceIn(kind, object, releaseNamespace);
    const path = kind && pathOfObject(kind, { name: object.name, namespace });
    const found = path === null ? null : await reader.readObject(path);
    if (!isJsonObject(found)) return { is: 'waiting', says: 'it is not there, or may not be read' };
    return readinessOf({ ...found, apiVersion: object.apiVersion, kind: object.kind }, Date.now());
  }

  return async (reader: Reader, crashing: ReadonlyMap<string, string>): Promise<Verdict> => {
    const failures: string[] = [];
    for (const object of inOrder) {
      const readiness = await readinessIn(reader, object);
      if (readiness.is === 'ready') continue;
      const shown = shownName(object);
      const crash = readiness.isUnobserved ? undefined : crashing.get(shown);
      if (readiness.is === 'failed' || crash !== undefined) {
        failures.push(`${shown}: ${crash ?? readiness.says}`);
        continue;
      }
      inOrder = [object, ...inOrder.filter((other) => other !== object)];
      return { is: 'waiting', says: `${shown}: ${readiness.says}` };
    }
    return failures.length === 0 ? { is: 'ready' } : { is: 'failed', says: failures.join('; ') };
  };
}

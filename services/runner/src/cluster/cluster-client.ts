import type { AnswerKind } from '@berth/kube/answer-limits';
import { managedBy } from '@berth/contracts/fields/kubernetes-names';
import type { KubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge, nullIfMissing } from '@berth/kube/kube-error';
import type { V1ObjectMeta, V1Secret } from '@kubernetes/client-node';
import { z } from 'zod';
import { createKinds, creationOf, type FindKind } from './api-kinds.ts';
import { kubeFailure, statusOf } from './kube-failure.ts';
import { type Listed, listObjects } from './list-objects.ts';
import { Namespace, type ObjectMetadata, PodList, Secret, WithMetadata, Workload } from './kube-objects.ts';

type Pods = z.infer<typeof PodList>['items'];

/** An object to create; Kubernetes fills in the rest. */
export type NewSecret = Required<Pick<V1Secret, 'type' | 'stringData'>> & {
  metadata: Required<Pick<V1ObjectMeta, 'name' | 'namespace' | 'labels'>> & Pick<V1ObjectMeta, 'resourceVersion'>;
};

/** The few calls that the runner makes itself; Helm makes the others. Each has a deadline and fails with a `TaskFailure`. */
export interface ClusterClient {
  readNamespace(name: string): Promise<Namespace | null>;
  /** Metadata of the Secrets in which Helm stores the revisions of a release; null if there are more than Helm would keep. */
  releaseRevisions(namespace: string, release: string): Promise<ObjectMetadata[] | null>;
  /** Metadata of the records of all Helm releases in a namespace; null if there are more than Helm would keep. */
  allRevisions(namespace: string): Promise<ObjectMetadata[] | null>;
  /** Deletes the Secrets that Berth has created for its charts. */
  deleteOwnSecrets(namespace: string): Promise<void>;
  readSecret(namespace: string, name: string): Promise<Secret | null>;
  /** Returns false if it exists already. */
  createSecret(secret: NewSecret): Promise<boolean>;
  /** Compare-and-swap; returns false if it was changed since it was read. */
  replaceSecret(namespace: string, secret: Secret | NewSecret): Promise<boolean>;
  readWorkload(namespace: string, workload: WorkloadName): Promise<Workload | null>;
  /** Returns false if it is gone or was replaced. */
  patchWorkload(namespace: string, workload: WorkloadName, patch: object): Promise<boolean>;
  /** At most 50 pods. */
  listPods(namespace: string): Promise<Pods>;
  /** The first few hundred objects of a kind; null if the cluster does not let the runner list them. */
  listSome<T>(namespace: string, list: SomeOf<T>): Promise<Listed<T> | null>;
  findKind: FindKind;
  /** Whether this account may create such objects; null if the cluster does not say. */
  mayCreate(wanted: WantedKind): Promise<boolean | null>;
  /** An object of any kind; null if it is missing, or the cluster does not let the runner read it. */
  readObject(path: string): Promise<unknown>;
  /** The same as JSON text, to be read in another process. */
  readText(path: string, answer?: AnswerKind): Promise<string | null>;
  /** Creates an object of any kind, as Helm does, from YAML; returns false if it exists already. */
  createObject(path: string, yaml: string): Promise<boolean>;
  /** Applies fields that nobody else has given another value; returns false if somebody has, or the object is another one. */
  shareFields(path: string, object: object, fieldManager: string): Promise<boolean>;
}

/** A kind of object in a namespace; the core group is the empty string. */
export interface WantedKind {
  group: string;
  resource: string;
  /** Null if cluster-scoped. */
  namespace: string | null;
}

export interface SomeOf<T> {
  /** The plural, as in paths of the API. */
  kind: keyof typeof groups;
  item: z.ZodType<T>;
  query?: Record<string, string>;
  metadataOnly?: true;
}

const groups = {
  jobs: '/apis/batch/v1',
  deployments: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  pods: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  events: '/api/v1',
} as const;

export interface WorkloadName {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  name: string;
}

export interface ClusterClientDeps {
  api: KubeApi;
  /** Ends every call. */
  signal: AbortSignal;
  /** Throws once writes are no longer allowed. */
  beforeWrite: () => void;
}

const deadlineMs = 10_000;
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const accessReviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const AccessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

const inCore = (namespace: string, kind: 'secrets' | 'pods') => `/api/v1/namespaces/${namespace}/${kind}`;

const workloadPath = (namespace: string, { kind, name }: WorkloadName): string =>
  `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;

export function createClusterClient({ api, signal, beforeWrite }: ClusterClientDeps): ClusterClient {
  const call = { signal, deadlineMs };

  const attempt = <T>(what: string, request: () => Promise<T>): Promise<T> =>
    request().catch((error: unknown) => {
      throw kubeFailure(what, error, api.server);
    });

  const orNull = <T>(what: string, request: () => Promise<T>): Promise<T | null> =>
    attempt(what, () => nullIfMissing(request()));

  const orUnreadable = <T>(reading: Promise<T>): Promise<T | null> =>
    reading.catch((error: unknown) => {
      if (statusOf(error) === 404 || statusOf(error) === 403 || error instanceof AnswerTooLarge) return null;
      throw kubeFailure('read an object', error, api.server);
    });

  /** Returns false if the cluster's state is not the one that the write requires. */
  async function unlessConflict(what: string, write: () => Promise<unknown>, conflicts = [409]): Promise<boolean> {
    beforeWrite();
    try {
      await write();
      return true;
    } catch (error) {
      if (conflicts.includes(statusOf(error) ?? 0)) return false;
      throw kubeFailure(what, error, api.server);
    }
  }

  /** Metadata of Secrets; null if there are too many. */
  const secretsWith = (namespace: string, labelSelector: string) =>
    attempt('list Secrets', async () => {
      const path = inCore(namespace, 'secrets');
      const list = { path, query: { labelSelector }, ...call, accept: metadataOnly, item: WithMetadata };
      const { items, isPartial } = await listObjects(api, list);
      return isPartial ? null : items.map(({ metadata }) => metadata);
    });

  return {
    readNamespace: (name) =>
      orNull('read the namespace', async () =>
        Namespace.parse(await api.getJson(`/api/v1/namespaces/${name}`, { ...call, answer: 'namespace' })),
      ),
    releaseRevisions: (namespace, release) => secretsWith(namespace, `owner=helm,name=${release}`),
    allRevisions: (namespace) => secretsWith(namespace, 'owner=helm'),
    deleteOwnSecrets: async (namespace) => {
      const own = (await secretsWith(namespace, `${managedBy.label}=${managedBy.value}`)) ?? [];
      for (const { name } of own) {
        beforeWrite();
        const path = `${inCore(namespace, 'secrets')}/${encodeURIComponent(name)}`;
        await orNull('delete a Secret', () => api.deleteJson(path, {}, call));
      }
    },
    readSecret: (namespace, name) =>
      orNull('read a Secret', async () =>
        Secret.parse(await api.getJson(`${inCore(namespace, 'secrets')}/${name}`, { ...call, answer: 'secret' })),
      ),
    createSecret: (secret) =>
      unlessConflict('create a Secret', () => api.postJson(inCore(secret.metadata.namespace, 'secrets'), secret, call)),
    replaceSecret: (namespace, secret) =>
      unlessConflict('replace a Secret', () =>
        api.putJson(`${inCore(namespace, 'secrets')}/${secret.metadata.name}`, secret, call),
      ),
    readWorkload: (namespace, workload) =>
      orNull('read the workload', async () =>
        Workload.parse(await api.getJson(workloadPath(namespace, workload), call)),
      ),
    patchWorkload: (namespace, workload, patch) => {
      const write = () => api.patchJson(workloadPath(namespace, workload), patch, call);
      return unlessConflict('restart the workload', write, [404, 409]);
    },
    listSome: async (namespace, { kind, metadataOnly: isMetadata, ...list }) => {
      const path = `${groups[kind]}/namespaces/${namespace}/${kind}`;
      const request = { path, ...list, ...call, ...(isMetadata && { accept: metadataOnly }) };
      return listObjects(api, request).catch((error: unknown) => {
        if (statusOf(error) === 403) return null;
        throw kubeFailure(`list ${kind}`, error, api.server);
      });
    },
    findKind: createKinds({ api, signal }),
    mayCreate: ({ namespace, ...resource }) => {
      const resourceAttributes = { verb: 'create', ...resource, ...(namespace !== null && { namespace }) };
      return api.postJson(accessReviews, { spec: { resourceAttributes } }, { ...call, answer: 'object' }).then(
        (answer) => AccessReview.parse(answer).status.allowed,
        (error: unknown) => {
          if (statusOf(error) === 403) return null;
          throw kubeFailure('say what the account may do', error, api.server);
        },
      );
    },
    readObject: (path) => orUnreadable(api.getJson(path, { ...call, answer: 'object' })),
    readText: (path, answer = 'object') => orUnreadable(api.getText(path, { ...call, answer })),
    createObject: (path, yaml) => unlessConflict('create an object', () => api.postYaml(creationOf(path), yaml, call)),
    shareFields: (path, object, fieldManager) =>
      unlessConflict('keep a field', () => api.applyJson(path, object, fieldManager, { ...call, leaveOthers: true })),
    listPods: (namespace) =>
      attempt('list the pods', async () => {
        return PodList.parse(await api.getJson(`${inCore(namespace, 'pods')}?limit=50`, { ...call, answer: 'list' }))
          .items;
      }),
  };
}

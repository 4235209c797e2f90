import {
  type ConfigurationOptions,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  Observable,
  type RequestContext,
  type ResponseContext,
  type V1Lease,
  type V1Namespace,
  type V1Pod,
  type V1Secret,
} from '@kubernetes/client-node';
import { kubeFailure, statusOf } from './kube-failure.ts';

const requestTimeoutMs = 10_000;

/** The few calls the runner makes itself; all the rest is Helm's. Each has a deadline and fails as a `TaskFailure`. */
export interface ClusterClient {
  readNamespace(name: string): Promise<V1Namespace | null>;
  /** False: it exists already. */
  createNamespace(namespace: V1Namespace): Promise<boolean>;
  deleteNamespace(name: string): Promise<void>;
  /** The Secrets in which Helm keeps the revisions of a release. */
  releaseSecrets(namespace: string, release: string): Promise<V1Secret[]>;
  readSecret(namespace: string, name: string): Promise<V1Secret | null>;
  /** False: it exists already. */
  createSecret(secret: V1Secret): Promise<boolean>;
  /** Only if nobody changed it since it was read. False: somebody did. */
  replaceSecret(secret: V1Secret): Promise<boolean>;
  readLease(namespace: string, name: string): Promise<V1Lease | null>;
  createLease(lease: V1Lease): Promise<boolean>;
  replaceLease(lease: V1Lease): Promise<boolean>;
  /** At most 50. */
  listPods(namespace: string): Promise<V1Pod[]>;
}

/** Gives every request a deadline; the generated client has none of its own. */
const withDeadline: ConfigurationOptions = {
  middlewareMergeStrategy: 'append',
  middleware: [
    {
      pre: (context: RequestContext) => {
        context.setSignal(AbortSignal.timeout(requestTimeoutMs));
        return new Observable(Promise.resolve(context));
      },
      post: (context: ResponseContext) => new Observable(Promise.resolve(context)),
    },
  ],
};

const asked = <T>(what: string, ask: () => Promise<T>): Promise<T> =>
  ask().catch((error: unknown) => {
    throw kubeFailure(what, error);
  });

const orNull = <T>(what: string, ask: () => Promise<T>): Promise<T | null> =>
  ask().catch((error: unknown) => {
    if (statusOf(error) === 404) return null;
    throw kubeFailure(what, error);
  });

const unlessConflict = (what: string, ask: () => Promise<unknown>): Promise<boolean> =>
  ask().then(
    () => true,
    (error: unknown) => {
      if (statusOf(error) === 409) return false;
      throw kubeFailure(what, error);
    },
  );

export function createClusterClient(kubeconfig: string): ClusterClient {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const coordination = config.makeApiClient(CoordinationV1Api);

  return {
    readNamespace: (name) => orNull('read the namespace', () => core.readNamespace({ name }, withDeadline)),
    createNamespace: (body) =>
      unlessConflict('create the namespace', () => core.createNamespace({ body }, withDeadline)),
    deleteNamespace: async (name) => {
      await orNull('delete the namespace', () =>
        core.deleteNamespace({ name, propagationPolicy: 'Foreground' }, withDeadline),
      );
    },
    releaseSecrets: async (namespace, release) => {
      const labelSelector = `owner=helm,name=${release}`;
      const list = await asked('read the Helm release', () =>
        core.listNamespacedSecret({ namespace, labelSelector, limit: 100 }, withDeadline),
      );
      return list.items;
    },
    readSecret: (namespace, name) =>
      orNull('read a Secret', () => core.readNamespacedSecret({ name, namespace }, withDeadline)),
    createSecret: (body) =>
      unlessConflict('create a Secret', () =>
        core.createNamespacedSecret({ namespace: body.metadata?.namespace ?? '', body }, withDeadline),
      ),
    replaceSecret: (body) => {
      const { name = '', namespace = '' } = body.metadata ?? {};
      return unlessConflict('replace a Secret', () =>
        core.replaceNamespacedSecret({ name, namespace, body }, withDeadline),
      );
    },
    readLease: (namespace, name) =>
      orNull('read the lease', () => coordination.readNamespacedLease({ name, namespace }, withDeadline)),
    createLease: (body) =>
      unlessConflict('take the lease', () =>
        coordination.createNamespacedLease({ namespace: body.metadata?.namespace ?? '', body }, withDeadline),
      ),
    replaceLease: (body) => {
      const { name = '', namespace = '' } = body.metadata ?? {};
      return unlessConflict('take the lease', () =>
        coordination.replaceNamespacedLease({ name, namespace, body }, withDeadline),
      );
    },
    listPods: async (namespace) => {
      const list = await asked('list the pods', () => core.listNamespacedPod({ namespace, limit: 50 }, withDeadline));
      return list.items;
    },
  };
}

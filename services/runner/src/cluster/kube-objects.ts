import { z } from 'zod';

const Metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const Condition = z.object({
  type: z.string(),
  status: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().nullish(),
});
type Condition = z.infer<typeof Condition>;

/** The fields of Kubernetes objects that the runner reads. Objects that are sent back keep their other fields. */
export const Namespace = z.looseObject({
  metadata: Metadata,
  status: z.looseObject({ phase: z.string().optional() }).optional(),
});
export type Namespace = z.infer<typeof Namespace>;

const count = z.number().int().optional();

const texts = z.record(z.string(), z.string()).nullish();
/** A Deployment, StatefulSet or DaemonSet. */
export const Workload = z.object({
  metadata: z.object({
    name: z.string().optional(),
    uid: z.string().optional(),
    generation: count,
    annotations: texts,
  }),
  spec: z.object({
    replicas: count,
    paused: z.boolean().optional(),
    updateStrategy: z
      .object({ type: z.string().optional(), rollingUpdate: z.object({ partition: count }).nullish() })
      .optional(),
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).nullish() }).nullish(),
    }),
  }),
  status: z
    .object({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      desiredNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: count,
      /** In a StatefulSet, the label of its new pods. */
      updateRevision: z.string().optional(),
      conditions: z.array(Condition).nullish(),
    })
    .optional(),
});
export type Workload = z.infer<typeof Workload>;

export const Secret = z.looseObject({ metadata: Metadata, data: z.record(z.string(), z.string()).optional() });
export type Secret = z.infer<typeof Secret>;

/** Kubernetes may send null for an empty list. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z
      .array(item)
      .nullish()
      .transform((items) => items ?? []),
  });

/** An object of any kind, metadata only. */
export const WithMetadata = z.object({ metadata: Metadata });
export type ObjectMetadata = z.infer<typeof Metadata>;

const OwnerReferences = z.array(z.object({ uid: z.string(), controller: z.boolean().nullish() })).nullish();

const Terminated = z.object({ exitCode: z.number().int(), reason: z.string().optional() });
const Container = z.object({
  name: z.string(),
  image: z.string().optional(),
  state: z
    .object({
      waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
      terminated: Terminated.optional(),
    })
    .optional(),
  lastState: z.object({ terminated: Terminated.optional() }).optional(),
});

export const Pod = z.object({
  metadata: z
    .object({
      name: z.string().optional(),
      uid: z.string().optional(),
      labels: texts,
      annotations: texts,
      deletionTimestamp: z.string().nullish(),
      ownerReferences: OwnerReferences,
    })
    .optional(),
  spec: z
    .object({
      volumes: z.array(z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }).nullish() })).nullish(),
    })
    .optional(),
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      initContainerStatuses: z.array(Container).nullish(),
      containerStatuses: z.array(Container).nullish(),
      conditions: z.array(Condition).nullish(),
    })
    .optional(),
});
export type Pod = z.infer<typeof Pod>;
export const PodList = listOf(Pod);

export const Job = z.object({
  metadata: z.object({ name: z.string(), uid: z.string().optional(), annotations: texts }),
  spec: z.object({ backoffLimit: count }).optional(),
  status: z.object({ failed: count, conditions: z.array(Condition).nullish() }).optional(),
});
export type Job = z.infer<typeof Job>;

export const ReplicaSetMetadata = z.object({
  metadata: z.object({ uid: z.string().optional(), annotations: texts, ownerReferences: OwnerReferences }),
});
export type ReplicaSetMetadata = z.infer<typeof ReplicaSetMetadata>;

export const VolumeClaim = z.object({
  metadata: z.object({ name: z.string(), uid: z.string().optional(), annotations: texts }),
  spec: z.object({ storageClassName: z.string().optional() }).optional(),
  status: z.object({ phase: z.string().optional() }).optional(),
});
export type VolumeClaim = z.infer<typeof VolumeClaim>;

/** A custom resource; its status is read by the code that explains it. */
export const CustomObject = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), uid: z.string().optional() }),
});
export type CustomObject = z.infer<typeof CustomObject>;

/** An Event. */
export const ClusterEvent = z.object({
  involvedObject: z.object({ kind: z.string().optional(), name: z.string().optional() }),
  message: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
});
export type ClusterEvent = z.infer<typeof ClusterEvent>;

import { randomUUID } from 'node:crypto';
import type { V1Namespace } from '@kubernetes/client-node';
import { holderOf, managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { AppError } from '@berth/contracts/errors';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfExists } from '@berth/kube/kube-error';
import { managerOf } from '@berth/kube/manager-of';
import { type FoundNamespace, foundNamespace } from '../namespaces/found-namespace.ts';
import type { ChangedMetadata, NamespaceRecord } from '../namespaces/namespace-record.ts';
import { podSecurityLabels } from '../namespaces/pod-security.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { readNamespace } from '../namespaces/read-namespace.ts';
import { type EnteringClaim, enterStep } from './enter-step.ts';
import type { FencedClaim } from './fence-step.ts';

export interface FindOrMakeDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find' | 'insert' | 'replace'>;
  readonly api: Pick<KubeApi, 'getJson' | 'postJson'>;
  readonly signal: AbortSignal;
}

export interface NamespaceWanted extends EnteringClaim, FencedClaim {
  readonly clusterId: string;
  readonly name: string;
  readonly deploymentName: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hostname: string | null;
}

export type Placed =
  | {
      readonly state: 'entered';
      readonly found: FoundNamespace;
      readonly isNew: boolean;
      /** The namespace was there before the deployment. */
      readonly isAdopted: boolean;
      /** Records the uid. Await it before anybody acts in the namespace. */
      readonly learned: Promise<void>;
    }
  /** A dry run may compare it with what would be deployed. */
  | { readonly state: 'adoptable'; readonly found: FoundNamespace }
  | {
      readonly state: 'terminating' | 'absent' | 'foreign';
      /** A recorded namespace of the deployment was deleted, and somebody else made another one. */
      readonly isReplaced: boolean;
    };

const deadlineMs = 5_000;
/** A few steps are enough, unless others keep changing the namespace at the same time. */
const mostSteps = 8;

/** Runs the steps of `enterStep` until one of them ends the search. After a crash, the next attempt continues from the record. */
export async function findOrMake(deps: FindOrMakeDeps, wanted: NamespaceWanted): Promise<Placed> {
  const { namespaceRepository, api, signal } = deps;
  const { name, deployment_id, makes, isFirst, adopts } = wanted;
  const read = () => readNamespace(api, name, signal);
  const [before, seen] = await Promise.all([
    namespaceRepository.find(wanted),
    makes && isFirst && !adopts ? undefined : read(),
  ]);
  let record = before;
  // A first deploy assumes that the namespace is missing, unless an earlier attempt has left a record.
  let found = seen === undefined ? (record === null ? null : await read()) : seen;

  // Both were read at the same time: another claim may have recorded the namespace and made it in between.
  let isRead = false;

  for (let steps = 0; steps < mostSteps; steps += 1) {
    const step = enterStep(record, found, wanted);
    if (step === 'foreign' && !isRead) {
      record = await namespaceRepository.find(wanted);
      isRead = true;
      continue;
    }
    switch (step) {
      case 'record': {
        // Only a read after the record proves that a recorded namespace is gone: another replica may have just created it.
        found = record === null ? null : await read();
        if (found) break;
        const next = { deployment_id, mark: randomUUID(), uid: null };
        record = (await write(next)) ?? (await namespaceRepository.find(wanted));
        break;
      }
      case 'make': {
        const made = await make(api, wanted, record?.mark ?? '', signal);
        if (made) return { state: 'entered', found: made, isNew: true, isAdopted: false, learned: learn(made) };
        [record, found] = await Promise.all([namespaceRepository.find(wanted), read()]);
        break;
      }
      case 'learn':
        if (found) await learn(found);
        record = await namespaceRepository.find(wanted);
        break;
      case 'enter':
        if (found) {
          const isAdopted = Boolean(record?.adopted);
          return { state: 'entered', found, isNew: false, isAdopted, learned: Promise.resolve() };
        }
        break;
      case 'adopt': {
        if (!found) break;
        refuseManaged(found);
        if (!makes) return { state: 'adoptable', found };
        const adopted = previousOf(found, wanted);
        record =
          (await write({ deployment_id, mark: randomUUID(), uid: found.uid, adopted })) ??
          (await namespaceRepository.find(wanted));
        break;
      }
      default:
        return { state: step, isReplaced: step === 'foreign' && record?.deployment_id === deployment_id };
    }
  }
  throw new AppError('unavailable', `The namespace ${name} was changed by others each time the task tried to enter it`);

  /** Returns null if somebody else has changed the record. */
  function write(next: NamespaceRecord): Promise<NamespaceRecord | null> {
    return record ? namespaceRepository.replace(wanted, record, next) : namespaceRepository.insert(wanted, next);
  }

  async function learn({ uid }: FoundNamespace): Promise<void> {
    await write({ deployment_id, mark: record?.mark ?? null, uid, adopted: record?.adopted ?? null });
  }
}

/** Operators keep a namespace from being taken over by this annotation. */
const refusesAdoption = 'berth.dev/adoption';

function refuseManaged(found: FoundNamespace): void {
  if (found.annotations[refusesAdoption] === 'refused')
    throw new AppError(
      'conflict',
      `The namespace ${found.name} must not be adopted: its annotation ${refusesAdoption} says so`,
    );
  const manager = managerOf(found, null);
  if (manager === null) return;
  throw new AppError('conflict', `The namespace ${found.name} is managed by ${manager}, so Berth cannot adopt it`);
}

/** The labels and annotations that Berth is about to change, as they are. */
function previousOf({ labels, annotations }: FoundNamespace, wanted: NamespaceWanted): ChangedMetadata {
  const now = (names: readonly string[], of: Readonly<Record<string, string>>) =>
    Object.fromEntries(names.map((name) => [name, of[name] ?? null]));
  return {
    labels: now(
      [
        ...Object.keys(managedLabels),
        ...Object.keys(podSecurityLabels('baseline', false)),
        ...Object.keys(wanted.labels),
      ],
      labels,
    ),
    annotations: now(Object.values(namespaceAnnotations), annotations),
  };
}

/** Returns null if the name is taken, perhaps by an attempt whose answer was lost. */
async function make(
  api: Pick<KubeApi, 'postJson'>,
  wanted: NamespaceWanted,
  mark: string,
  signal: AbortSignal,
): Promise<FoundNamespace | null> {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: wanted.name,
      labels: { ...managedLabels, ...wanted.labels },
      annotations: {
        [namespaceAnnotations.deploymentId]: wanted.deployment_id,
        [namespaceAnnotations.claim]: holderOf(wanted),
        [namespaceAnnotations.deploymentName]: wanted.deploymentName,
        [namespaceAnnotations.kind]: wanted.kind,
        [namespaceAnnotations.mark]: mark,
        ...(wanted.hostname !== null && { [namespaceAnnotations.hostname]: wanted.hostname }),
      },
    },
  } satisfies V1Namespace;
  const made = await nullIfExists(api.postJson('/api/v1/namespaces', namespace, { signal, deadlineMs }));
  return made === null ? null : foundNamespace(made);
}

import { randomUUID } from 'node:crypto';
import type { V1Namespace } from '@kubernetes/client-node';
import { holderOf, managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { AppError } from '@berth/contracts/errors';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfExists } from '@berth/kube/kube-error';
import { type FoundNamespace, foundNamespace } from '../namespaces/found-namespace.ts';
import type { NamespaceRecord } from '../namespaces/namespace-record.ts';
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
      /** Records the uid. Await it before anybody acts in the namespace. */
      readonly learned: Promise<void>;
    }
  | { readonly state: 'terminating' | 'absent' | 'foreign' };

const deadlineMs = 5_000;
/** A few steps are enough, unless others keep changing the namespace at the same time. */
const mostSteps = 8;

/** Runs the steps of `enterStep` until one of them ends the search. After a crash, the next attempt continues from the record. */
export async function findOrMake(deps: FindOrMakeDeps, wanted: NamespaceWanted): Promise<Placed> {
  const { namespaceRepository, api, signal } = deps;
  const { name, deployment_id, makes, isFirst } = wanted;
  const read = () => readNamespace(api, name, signal);
  const [before, seen] = await Promise.all([namespaceRepository.find(wanted), makes && isFirst ? undefined : read()]);
  let record = before;
  // A first deploy assumes that the namespace is missing, unless an earlier attempt has left a record.
  let found = seen === undefined ? (record === null ? null : await read()) : seen;

  for (let steps = 0; steps < mostSteps; steps += 1) {
    const step = enterStep(record, found, wanted);
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
        if (made) return { state: 'entered', found: made, isNew: true, learned: learn(made) };
        [record, found] = await Promise.all([namespaceRepository.find(wanted), read()]);
        break;
      }
      case 'learn':
        if (found) await learn(found);
        record = await namespaceRepository.find(wanted);
        break;
      case 'enter':
        if (found) return { state: 'entered', found, isNew: false, learned: Promise.resolve() };
        break;
      default:
        return { state: step };
    }
  }
  throw new AppError('unavailable', `The namespace ${name} was changed by others each time the task tried to enter it`);

  /** Returns null if somebody else has changed the record. */
  function write(next: NamespaceRecord): Promise<NamespaceRecord | null> {
    return record ? namespaceRepository.replace(wanted, record, next) : namespaceRepository.insert(wanted, next);
  }

  async function learn({ uid }: FoundNamespace): Promise<void> {
    await write({ deployment_id, mark: record?.mark ?? null, uid });
  }
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

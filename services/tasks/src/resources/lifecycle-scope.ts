import type { Identity } from '@berth/contracts/access/identity';
import type { DeploymentResourceType } from '@berth/contracts/resources/deployments/deployment-resource-types';
import type { ReadingStore } from '../store/store.ts';
import type { Callable, LifecycleOperation } from './sync/sync.ts';
import { callableOf, type ResourceTypeSpec, specOf } from './type-spec.ts';

export interface Governing {
  type: DeploymentResourceType;
  /** The type as defined by the chart that the managing deployment runs, or as stored if that chart does not define it. */
  spec: ResourceTypeSpec;
  callable: Callable;
  /** Whether the managing deployment manages resources of the type now. */
  isRegistered: boolean;
}

/** The type of a resource, and the spec by which it is managed. */
export async function governing(
  { resourceTypes }: Pick<ReadingStore, 'resourceTypes'>,
  type: DeploymentResourceType,
  deployment_id: string | null,
): Promise<Governing> {
  const registered = deployment_id === null ? null : await resourceTypes.registeredSpec(type.id, deployment_id);
  const stored = registered ?? type.spec;
  return { type, spec: specOf(stored), callable: callableOf(stored), isRegistered: registered !== null };
}

/** The facts that rules for operations on a resource are checked against. */
export const lifecycleScope = (
  { type, spec }: Governing,
  operation: LifecycleOperation,
  place: { env_id: string; deployment_id: string | null },
) => ({
  env_id: place.env_id,
  deployment_id: place.deployment_id,
  kind_id: type.deployment_kind_id,
  allowed_role: spec.lifecycle[operation]?.allowed_role ?? ('Maintainer' as const),
});

/** True if the caller is the managing deployment, which reports facts. */
export const isManager = (identity: Identity, deployment_id: string | null): boolean =>
  identity.kind === 'deployment' && identity.id === deployment_id;

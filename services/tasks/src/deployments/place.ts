import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { named } from '@berth/contracts/errors';
import type { ProjectedCluster, ProjectionRepository } from '../store/projection-repository.ts';
import type { DeploymentRepository } from '../store/deployments/deployment-repository.ts';
import type { FieldPaths } from '../records/field-paths.ts';
import { nameProblem } from './name-problem.ts';
import { namespaceOf } from '../engine/deployments/namespace-of.ts';
import { CatalogueRefusal } from '../errors/catalogue-refusal.ts';
import { conflict, unfit } from '../errors/refuse.ts';

/** A cluster that the caller may see; throws 422 if it is missing or hidden from the caller. */
export async function findCluster(
  projected: Pick<ProjectionRepository, 'holdCluster'>,
  id: string,
  { visible, path }: { visible: VisibleEnvs; path: string },
): Promise<ProjectedCluster> {
  const cluster = await projected.holdCluster(id);
  const isVisible = visible === 'all' || (cluster?.env_id != null && visible.includes(cluster.env_id));
  const found = named(isVisible ? cluster : null, path, 'cluster');
  refuseClosed(found);
  return found;
}

export function refuseClosed({ name, is_closed }: Pick<ProjectedCluster, 'name' | 'is_closed'>): void {
  if (is_closed) throw conflict(`The cluster ${name} is being deleted or moved to another env; try again`);
}

export async function findKind(projected: Pick<ProjectionRepository, 'kind'>, id: string, path: string) {
  const kind = await projected.kind(id);
  if (!kind) throw new CatalogueRefusal({ kind_id: id }, path, 'no such deployment kind');
  return kind;
}

export interface PlaceWanted {
  /** Null if the deployment is new. */
  id: string | null;
  name: string;
  kind: { id: string; name: string };
  cluster: ProjectedCluster;
  cardinality: 'Many' | 'OnePerCluster';
}

export interface Place {
  cluster_id: string;
  env_id: string;
  namespace: string;
}

/** The place of a deployment, checked (Specification, "Creation"). */
export async function findPlace(
  deployments: Pick<DeploymentRepository, 'siblingOn' | 'occupantOf'>,
  { id, name, kind, cluster, cardinality }: PlaceWanted,
  { paths, reserved }: { paths: FieldPaths; reserved: readonly string[] },
): Promise<Place> {
  if (cluster.env_id === null) throw unfit(paths.cluster_id, 'the cluster has no env');
  if (cluster.ignore) throw unfit(paths.cluster_id, 'the cluster is ignored');

  const problem = nameProblem({ kind: kind.name, name, cardinality, reserved });
  if (problem !== null) throw unfit(paths.name, problem);

  const place = { cluster_id: cluster.id, env_id: cluster.env_id, namespace: namespaceOf(kind.name, name) };
  const sibling = cardinality === 'OnePerCluster' ? await deployments.siblingOn(cluster.id, kind.id, id) : null;
  if (sibling)
    throw conflict(`Cluster ${cluster.name} has a deployment of kind ${kind.name} already; the chart allows one`);
  const occupant = await deployments.occupantOf(place, id);
  if (occupant)
    throw conflict(`The namespace ${place.namespace} on cluster ${cluster.name} is taken by another deployment`);
  return place;
}

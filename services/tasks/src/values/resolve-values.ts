import type { Budget } from '@berth/chart-extensions/budget/budget';
import { atOnce, type Parts } from '@berth/chart-extensions/budget/in-turns';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { mergeLayer, mergeOwnLayer } from '@berth/chart-extensions/config/merge-layer';
import { type HostnameFormat, ingressValues } from './ingress-values.ts';

export interface ValuesWorld {
  env: { id: string; name: string; node_selector: JsonValue; tolerations: JsonValue };
  cluster: {
    id: string;
    name: string;
    ingress_domain: string | null;
    ingress_class: string | null;
    ingress_tls_secret_name: string | null;
  };
  deployment: { id: string; name: string; kind: string; namespace: string };
  /** The task that gets these values. */
  revisionId: string;
  /** The platform's address, for calls back. */
  ownUrl: string;
  features: {
    ingress: { enabled: boolean; hostname_format: HostnameFormat };
    node_selector_paths: readonly (readonly string[])[];
    tolerations_paths: readonly (readonly string[])[];
  };
  config: JsonObject;
  /** The outputs of the chart's form for this config, with their size; null if the chart has no inputs. */
  outputs: JsonObject | null;
  override: JsonObject | null;
  budget: Budget;
}

/** The values for Helm, which merges them over the chart's defaults (Specification, "Values"). */
export const resolveValues = (world: ValuesWorld): JsonObject => atOnce(resolvedByLayer(world));

/** The same, yielding after each layer. */
export function* resolvedByLayer(world: ValuesWorld): Parts<JsonObject> {
  const { env, features, outputs, config, override, budget } = world;
  const values: JsonObject = {};
  mergeLayer(values, injected(world), budget);
  if (outputs) mergeOwnLayer(values, outputs);
  else mergeLayer(values, { config }, budget);
  yield;

  const above = [
    ...placed(features.node_selector_paths, env.node_selector),
    ...placed(features.tolerations_paths, env.tolerations),
    override ?? {},
  ];
  for (const layer of above) {
    mergeLayer(values, layer, budget);
    yield;
  }
  return values;
}

function injected(world: ValuesWorld): JsonObject {
  const { env, cluster, deployment, features } = world;
  const { name, namespace } = deployment;
  return {
    // If the env has no placement, that of the chart stays.
    ...(env.node_selector !== null && { nodeSelector: env.node_selector }),
    ...(env.tolerations !== null && { tolerations: env.tolerations }),
    ...(features.ingress.enabled && {
      ingress: ingressValues({ cluster, name, namespace }, features.ingress.hostname_format),
    }),
    berth: infoBlock(world),
    // Charts of the upstream project read this block; with it they work unchanged.
    platz: { ...infoBlock(world), cluster: clusterRow(world) },
  };
}

/** What such charts read of the row of the cluster. */
const clusterRow = ({ env, cluster }: ValuesWorld): JsonObject => ({
  id: cluster.id,
  env_id: env.id,
  name: cluster.name,
  ingress_domain: cluster.ingress_domain,
  ingress_class: cluster.ingress_class,
  ingress_tls_secret_name: cluster.ingress_tls_secret_name,
});

const infoBlock = ({ env, cluster, deployment, revisionId, ownUrl }: ValuesWorld): JsonObject => ({
  env_id: env.id,
  env_name: env.name,
  cluster_id: cluster.id,
  cluster_name: cluster.name,
  deployment_id: deployment.id,
  deployment_name: deployment.name,
  deployment_kind: deployment.kind,
  revision_id: revisionId,
  own_url: ownUrl,
});

/** One layer per path, with the value at its end. */
const placed = (paths: readonly (readonly string[])[], value: JsonValue): JsonObject[] =>
  value === null ? [] : paths.map((path) => objectAt(path, value));

function objectAt(path: readonly string[], value: JsonValue): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return {};
  return { [key]: rest.length === 0 ? value : objectAt(rest, value) };
}

import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { groupOf } from '../cluster/group-of.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { metadataOf } from '../manifests/kube-object.ts';
import { objectsIn } from '../manifests/lists-in.ts';

/** What scales an object, such as `HorizontalPodAutoscaler web`; by `targetKey`. */
export type Autoscalers = ReadonlyMap<string, string>;

export const targetKey = ({ apiVersion, kind, name }: Pick<KubeObject, 'apiVersion' | 'kind' | 'name'>): string =>
  JSON.stringify([groupOf(apiVersion), kind, name]);

/** Kinds that other objects scale, with the API version that they mean when they name none. */
const scalerKinds: Readonly<Record<string, string>> = {
  'autoscaling/HorizontalPodAutoscaler': '',
  'keda.sh/ScaledObject': 'apps/v1',
};

/**
 * The autoscalers of a namespace once the release is deployed: those that the chart renders, and those of the cluster, except those
 * that Helm is about to remove with this release.
 */
export function autoscalersOf(
  rendered: readonly KubeObject[],
  live: JsonValue | undefined,
  { namespace }: { namespace: string },
): Autoscalers {
  const ofChart = rendered.filter((object) => scalerKinds[kindOf(object)] !== undefined);
  const names = new Set(ofChart.map(({ kind, name }) => `${kind}/${name}`));
  const items = objectsIn(isJsonObject(live) ? live['items'] : undefined).flatMap(horizontal);
  const stay = items.filter((object) => names.has(`${object.kind}/${object.name}`) || !isOfRelease(object, namespace));
  return new Map([...ofChart, ...stay].flatMap((object) => targetOf(object) ?? []));
}

/** An item of the list of HorizontalPodAutoscalers, which does not repeat its kind. */
function horizontal(content: JsonObject): KubeObject[] {
  const name = isJsonObject(content['metadata']) ? content['metadata']['name'] : undefined;
  if (typeof name !== 'string') return [];
  return [{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: null, name, content }];
}

const kindOf = ({ apiVersion, kind }: KubeObject): string => `${groupOf(apiVersion)}/${kind}`;

/** The name of a release is that of its namespace. */
const isOfRelease = (object: KubeObject, release: string): boolean =>
  metadataOf(object, 'labels')['app.kubernetes.io/managed-by'] === 'Helm' &&
  metadataOf(object, 'annotations')['meta.helm.sh/release-name'] === release;

function targetOf(object: KubeObject): [string, string][] | null {
  const { spec } = object.content;
  const target = isJsonObject(spec) ? spec['scaleTargetRef'] : undefined;
  if (!isJsonObject(target)) return null;
  const { name, kind = 'Deployment', apiVersion = scalerKinds[kindOf(object)] ?? '' } = target;
  if (typeof name !== 'string' || typeof kind !== 'string' || typeof apiVersion !== 'string') return null;
  return [[targetKey({ apiVersion, kind, name }), `${object.kind} ${object.name}`]];
}

import { upstreamCredentials } from '@berth/contracts/fields/kubernetes-names';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { parseManifest } from './parse-manifest.ts';
import { hostsOf, type RoutedHosts } from './hosts-of.ts';
import { textsIn } from './lists-in.ts';

/** A kind that an object defines, in the versions that the cluster is to serve. */
interface DefinedKind {
  apiVersions: string[];
  kind: string;
}

/** The facts that decide whether a chart may have an object. */
export interface ObjectFacts extends RoutedHosts {
  apiVersion: string;
  kind: string;
  /** Null if the object does not name one. */
  namespace: string | null;
  name: string;
  /** The `externalIPs` of a Service, whose traffic it takes over. */
  externalIps: string[];
  /** A Secret that Helm would take for its record of a release. */
  isReleaseRecord: boolean;
  /** True for the folder `crds` of a chart: such objects are created if they are missing, and left alone otherwise. */
  isCrdFile: boolean;
  /** The events at which Helm runs it as a hook; empty for an object of the release. */
  hookEvents: string[];
  defines: DefinedKind | null;
}

export interface ManifestFacts {
  objects: ObjectFacts[];
  /** Documents that Helm may read differently, or that are not objects. */
  unreadable: number;
  /** Whether objects refer to the credentials by their upstream name, or bring a Secret of that name; null: neither. */
  upstreamCredentials: 'referred' | 'own' | null;
}

/** Runs in another process, since the chart determines the cost. */
export function factsOf(manifests: string, crds = ''): ManifestFacts {
  const { objects, unreadable } = parseManifest(manifests, crds);
  const facts = objects.map(({ content, isAmbiguous, isCrdFile }) =>
    isAmbiguous ? null : factsOfObject(content, isCrdFile),
  );
  const known = facts.filter((fact) => fact !== null);
  const isOwn = known.some(({ kind, name }) => kind === 'Secret' && name === upstreamCredentials);
  const isReferred = manifests.includes(upstreamCredentials);
  return {
    objects: known,
    unreadable: unreadable + facts.length - known.length,
    upstreamCredentials: isOwn ? 'own' : isReferred ? 'referred' : null,
  };
}

function factsOfObject(content: JsonValue, isCrdFile: boolean): ObjectFacts | null {
  if (!isJsonObject(content)) return null;
  const { apiVersion, kind, metadata, spec } = content;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return null;
  const { namespace = null, name, generateName } = metadata;
  const called = name ?? generateName;
  if (typeof called !== 'string' || (namespace !== null && typeof namespace !== 'string')) return null;
  const specified = isJsonObject(spec) ? spec : {};
  return {
    apiVersion,
    kind,
    namespace: namespace === '' ? null : namespace,
    name: called,
    ...hostsOf({ kind, metadata, spec: specified }),
    externalIps: kind === 'Service' ? textsIn(specified['externalIPs']) : [],
    isReleaseRecord: kind === 'Secret' && isReleaseRecord(called, metadata),
    isCrdFile,
    hookEvents: hookEventsOf(metadata),
    defines: definedBy(kind, specified),
  };
}

const isReleaseRecord = (name: string, { labels = null }: JsonObject): boolean =>
  name.startsWith('sh.helm.release.v1.') || (isJsonObject(labels) && labels['owner'] === 'helm');

function hookEventsOf({ annotations }: JsonObject): string[] {
  const events = isJsonObject(annotations) ? annotations['helm.sh/hook'] : undefined;
  return typeof events === 'string' ? events.split(',').map((event) => event.trim().toLowerCase()) : [];
}

/** Null if it is no CustomResourceDefinition. */
export function definedBy(kindOfObject: string, { group, names, versions }: JsonObject): DefinedKind | null {
  if (kindOfObject !== 'CustomResourceDefinition') return null;
  const kind = isJsonObject(names) ? names['kind'] : undefined;
  if (typeof group !== 'string' || typeof kind !== 'string' || !Array.isArray(versions)) return null;
  const served = versions.filter((one) => isJsonObject(one) && one['served'] !== false);
  const found = served.flatMap((one) => (isJsonObject(one) ? textsIn([one['name'] ?? null]) : []));
  return { kind, apiVersions: found.map((version) => `${group}/${version}`) };
}

import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { objectsIn, textsIn } from './lists-in.ts';

export interface RoutedHosts {
  /** Hosts whose requests the object takes, in lower case, without a final dot. */
  hosts: string[];
  /** True if the object takes the requests to all hosts. */
  isForAllHosts: boolean;
}

interface Routed {
  kind: string;
  metadata: JsonObject;
  spec: JsonObject;
}

const none: RoutedHosts = { hosts: [], isForAllHosts: false };

/** Annotations with which controllers give an object more hosts, or a DNS name. */
const hostAnnotations = [
  'nginx.ingress.kubernetes.io/server-alias',
  'external-dns.alpha.kubernetes.io/hostname',
  'external-dns.alpha.kubernetes.io/internal-hostname',
];

/** Kinds of the Gateway API that have `spec.hostnames`. */
const routes = new Set(['HTTPRoute', 'GRPCRoute', 'TLSRoute']);

/** The hosts whose requests an object takes; empty for kinds that do not route. */
export function hostsOf({ kind, metadata, spec }: Routed): RoutedHosts {
  const routed = byKind(kind, spec);
  const hosts = [...routed.hosts, ...annotatedHosts(metadata)].map(plain);
  return { hosts: [...new Set(hosts)], isForAllHosts: routed.isForAllHosts || hosts.includes('*') };
}

const plain = (host: string): string => host.trim().toLowerCase().replace(/\.$/, '');

function byKind(kind: string, spec: JsonObject): RoutedHosts {
  if (kind === 'Ingress') return ofIngress(spec);
  if (routes.has(kind)) {
    const hosts = textsIn(spec['hostnames']);
    return { hosts, isForAllHosts: hosts.length === 0 };
  }
  if (kind === 'Gateway' || kind === 'ListenerSet') {
    return { ...none, hosts: objectsIn(spec['listeners']).flatMap(({ hostname }) => textsIn([hostname ?? null])) };
  }
  return none;
}

function ofIngress({ rules, tls, defaultBackend }: JsonObject): RoutedHosts {
  const ruled = objectsIn(rules);
  const hosts = ruled.flatMap(({ host }) => textsIn([host ?? null]));
  const isForAllHosts = hosts.length < ruled.length || hosts.includes('') || defaultBackend !== undefined;
  const certified = objectsIn(tls).flatMap((one) => textsIn(one['hosts']));
  return { hosts: [...hosts, ...certified].filter((host) => host !== ''), isForAllHosts };
}

function annotatedHosts({ annotations }: JsonObject): string[] {
  if (!isJsonObject(annotations)) return [];
  const texts = textsIn(hostAnnotations.map((name) => annotations[name] ?? null));
  return texts.flatMap((text) => text.split(/[\s,]+/)).filter((host) => host !== '');
}

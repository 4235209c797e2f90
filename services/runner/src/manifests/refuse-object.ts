import type { RouteHosts } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ObjectFacts } from './facts-of.ts';

/** An object of a chart, its destination, and whether the account of the deployment may create it there. */
export interface PlacedFacts extends ObjectFacts {
  /** The namespace; null if cluster-scoped; undefined if the cluster does not know the kind, which Helm will report. */
  goesTo: string | null | undefined;
  /** Null if it cannot be known in advance. */
  mayCreate: boolean | null;
}

export interface Allowed {
  namespace: string;
  hosts: RouteHosts | undefined;
}

/** Why a chart may not have an object, and who can change that. */
export interface Refusal {
  apiVersion: string;
  kind: string;
  namespace: string | null;
  name: string;
  /** A clause that follows the name of the object. */
  reason: string;
  /** True if a grant of a site admin would allow it. */
  isGrantable: boolean;
}

/** Null if the chart may have the object. */
export function refuseObject(object: PlacedFacts, allowed: Allowed): Refusal | null {
  const refusal = beyondRights(object, allowed) ?? neverAllowed(object, allowed);
  if (!refusal) return null;
  const { apiVersion, kind, name, goesTo = null } = object;
  return { apiVersion, kind, name, namespace: goesTo, ...refusal };
}

type Why = Pick<Refusal, 'reason' | 'isGrantable'>;

function beyondRights({ goesTo, mayCreate, kind, apiVersion }: PlacedFacts, { namespace }: Allowed): Why | null {
  if (goesTo === undefined || mayCreate !== false) return null;
  return { reason: where(), isGrantable: true };

  function where(): string {
    if (goesTo === null) return 'lies outside of namespaces';
    if (goesTo !== namespace) return `is in the namespace ${goesTo}`;
    return `is of a kind (${kind} of ${apiVersion}) that the ClusterRole berth-deployer does not cover`;
  }
}

function neverAllowed(
  { hosts, isForAllHosts, externalIps, isReleaseRecord }: PlacedFacts,
  allowed: Allowed,
): Why | null {
  const never = (reason: string): Why => ({ reason, isGrantable: false });
  if (isReleaseRecord) return never('would be a record of a Helm release, which Helm alone writes');
  if (externalIps.length > 0) return never('takes the addresses of others (externalIPs)');
  if (!allowed.hosts) return null;
  const { own, domain, berth } = allowed.hosts;

  const ofBerth = hosts.find((host) => berth.some((one) => covers(host, one)));
  if (ofBerth !== undefined) return never(`has the host ${ofBerth} of Berth itself`);
  if (domain === null) return null;
  const ofOthers = hosts.find((host) => isWithin(host, domain) && host !== own);
  if (ofOthers !== undefined) {
    const mine = own === null ? 'the deployment has none' : `the deployment has ${own} only`;
    return never(`has the host ${ofOthers} of the cluster's ingress domain, of which ${mine}`);
  }
  return isForAllHosts ? never('has no host, so it would take the requests to all hosts') : null;
}

/** Whether a host, or a wildcard, takes requests to another one. */
const covers = (host: string, other: string): boolean =>
  host === other || (host.startsWith('*.') && other.endsWith(host.slice(1)));

/** A wildcard above the domain covers it, too. */
const isWithin = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`) || (host.startsWith('*.') && `.${domain}`.endsWith(host.slice(1)));

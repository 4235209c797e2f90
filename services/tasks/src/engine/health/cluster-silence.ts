import { startOf } from '@berth/contracts/cut-text';

/** What is known of a cluster here. Times are ISO strings. */
export interface HeardCluster {
  readonly name: string;
  readonly is_ok: boolean;
  readonly ignore: boolean;
  readonly not_ok_reason: string | null;
  readonly last_seen_at: string;
  /** When its row arrived here. */
  readonly applied_at: string;
}

/** Why nothing is known of the workloads of a cluster, and since when. */
export interface Silence {
  readonly reason: string;
  readonly since: string;
}

/** While a cluster answers, its row arrives at least once a minute; nobody probes it if it does not. */
const unheardMs = 180_000;

/** Null if the cluster answers. */
export function clusterSilence(cluster: HeardCluster, now: string): Silence | null {
  const { name, is_ok, ignore, not_ok_reason, last_seen_at, applied_at } = cluster;
  if (ignore) return { reason: `the cluster ${name} is ignored`, since: applied_at };
  if (!is_ok) {
    const why = not_ok_reason === null ? '' : `: ${not_ok_reason}`;
    return { reason: startOf(`the cluster ${name} does not answer${why}`, 1_000), since: last_seen_at };
  }
  const heardAt = Math.max(Date.parse(last_seen_at), Date.parse(applied_at));
  if (Date.parse(now) - heardAt < unheardMs) return null;
  return { reason: `nothing is heard of the cluster ${name}`, since: new Date(heardAt).toISOString() };
}

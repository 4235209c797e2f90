import { oldestNamed } from '@berth/service/metrics/bounded-names';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProbeResult } from './cluster-health.ts';

const clusterStates = ['ok', 'behind', 'not_ok', 'ignored'] as const;

interface ObservedCluster {
  name: string;
  state: (typeof clusterStates)[number];
  /** When it last answered, in seconds. */
  at: number;
}

export interface ClusterMetrics {
  probed(result: ProbeResult): void;
  /** All clusters as the database has them: each replica shows the same, also after a restart. */
  observed(clusters: readonly ObservedCluster[]): void;
}

// Targets of Prometheus often have a label `cluster` of their own, hence the prefix.
const labelNames = ['berth_cluster'] as const;

export function createClusterMetrics(registry: Registry): ClusterMetrics {
  const registers = [registry];
  const probes = new Counter({
    name: 'berth_cluster_probes_total',
    help: 'Probes of clusters by this replica, by cause of the failure; ok if there was none',
    labelNames: ['cause'] as const,
    registers,
  });
  const clusters = new Gauge({
    name: 'berth_clusters',
    help: 'Clusters by state: ok; behind: it answers, but its watches have not caught up; not_ok; ignored',
    labelNames: ['state'] as const,
    registers,
  });
  const seenAt = new Gauge({
    name: 'berth_cluster_last_seen_timestamp_seconds',
    help: 'When the cluster last answered a probe; clusters that are ignored have no series',
    labelNames,
    registers,
  });

  return {
    probed: (result) => probes.inc({ cause: causeOf(result) }),
    observed(rows) {
      for (const state of clusterStates) clusters.set({ state }, rows.filter((row) => row.state === state).length);
      seenAt.reset();
      const used = rows.filter(({ state }) => state !== 'ignored');
      for (const { name, at } of oldestNamed(used, together)) seenAt.set({ berth_cluster: name }, at);
    },
  };
}

const together = (others: readonly ObservedCluster[]): ObservedCluster => ({
  name: 'other clusters',
  state: 'ok',
  at: Math.min(...others.map(({ at }) => at)),
});

function causeOf(result: ProbeResult): string {
  if (result.kind === 'answered') return 'ok';
  return result.kind === 'failed' ? result.cause : result.kind;
}

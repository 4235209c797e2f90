import { sloNames } from './slo-rules.ts';

interface Panel {
  readonly title: string;
  readonly unit?: 'short' | 's' | 'reqps' | 'percentunit';
  /** Queries by their legends. `$of` stands for labels that select the release. */
  readonly queries: Readonly<Record<string, string>>;
}

const quantile = (q: number, metric: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (le${by}) (rate(${metric}_bucket{$of}[5m])))`;
const perSecond = (metric: string, by: string, more = ''): string => `sum by (${by}) (rate(${metric}{$of${more}}[5m]))`;

const dashboards: Readonly<Record<string, { title: string; panels: readonly Panel[] }>> = {
  queue: {
    title: 'Berth: queue',
    panels: [
      {
        title: 'Tasks that are due',
        queries: { '{{berth_cluster}}': 'max by (berth_cluster) (berth_tasks_due{$of})' },
      },
      {
        title: 'Age of the oldest task that is due',
        unit: 's',
        queries: { '{{berth_cluster}}': 'max by (berth_cluster) (berth_tasks_oldest_due_seconds{$of})' },
      },
      { title: 'Running tasks', queries: { '{{berth_cluster}}': 'max by (berth_cluster) (berth_tasks_started{$of})' } },
      {
        title: 'Wait until the start',
        unit: 's',
        queries: { p50: quantile(0.5, 'berth_tasks_wait_seconds'), p95: quantile(0.95, 'berth_tasks_wait_seconds') },
      },
      { title: 'Helm processes', queries: { '{{pod}}': 'sum by (pod) (berth_runner_helm_running{$of})' } },
    ],
  },
  tasks: {
    title: 'Berth: tasks',
    panels: [
      {
        title: 'Runs by outcome',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('berth_tasks_run_seconds_count', 'outcome') },
      },
      {
        title: 'Failed runs by operation',
        unit: 'reqps',
        queries: { '{{operation}}': perSecond('berth_tasks_run_seconds_count', 'operation', ', outcome="Failed"') },
      },
      {
        title: 'Duration, p95',
        unit: 's',
        queries: { '{{operation}}': quantile(0.95, 'berth_tasks_run_seconds', ', operation') },
      },
      {
        title: 'Attempts',
        unit: 'reqps',
        queries: { '{{operation}}': perSecond('berth_tasks_attempts_total', 'operation') },
      },
      {
        title: 'Outcomes as runners see them',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('berth_runner_task_seconds_count', 'outcome') },
      },
      {
        title: 'Removed by retention',
        unit: 'reqps',
        queries: { removed: perSecond('berth_tasks_removed_total', 'pod') },
      },
    ],
  },
  clusters: {
    title: 'Berth: clusters and deployments',
    panels: [
      {
        title: 'Due tasks of the fullest clusters',
        queries: { '{{berth_cluster}}': 'topk(10, max by (berth_cluster) (berth_tasks_due{$of}))' },
      },
      {
        title: 'Deployments that are not healthy, by env',
        queries: {
          '{{berth_env}} {{health}}': 'max by (berth_env, health) (berth_deployments{$of, health!="Healthy"})',
        },
      },
      {
        title: 'Degraded for the longest time',
        unit: 's',
        queries: {
          '{{deployment}} on {{berth_cluster}}':
            'topk(10, max by (berth_cluster, deployment) (berth_deployment_degraded_seconds{$of}))',
        },
      },
      {
        title: 'Polls of statuses by outcome',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('berth_runner_status_poll_seconds_count', 'outcome') },
      },
      {
        title: 'Lateness of status polls, p95',
        unit: 's',
        queries: { p95: quantile(0.95, 'berth_tasks_status_poll_lateness_seconds') },
      },
      {
        title: 'Calls for resources by outcome',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('berth_runner_resource_call_seconds_count', 'outcome') },
      },
    ],
  },
  freshness: {
    title: 'Berth: clusters, registries and objectives',
    panels: [
      { title: 'Clusters by state', queries: { '{{state}}': 'max by (state) (berth_clusters{$of})' } },
      {
        title: 'Clusters that have been silent for the longest time',
        unit: 's',
        queries: {
          '{{berth_cluster}}':
            'topk(10, time() - max by (berth_cluster) (berth_cluster_last_seen_timestamp_seconds{$of}))',
        },
      },
      {
        title: 'Probes by cause of their failure',
        unit: 'reqps',
        queries: { '{{cause}}': perSecond('berth_cluster_probes_total', 'cause') },
      },
      {
        title: 'Age of the last complete scan',
        unit: 's',
        queries: {
          '{{registry}}':
            'topk(10, time() - max by (registry) (berth_registry_last_complete_scan_timestamp_seconds{$of}))',
        },
      },
      {
        title: 'Failed scans by cause',
        unit: 'reqps',
        queries: { '{{registry}} {{cause}}': perSecond('berth_registry_failed_scans_total', 'registry, cause') },
      },
      {
        title: 'What was bad in the last hour',
        unit: 'percentunit',
        queries: Object.fromEntries(sloNames.map((name) => [name.replaceAll('_', ' '), `berth:${name}:ratio_1h{$of}`])),
      },
    ],
  },
  gateway: {
    title: 'Berth: gateway',
    panels: [
      {
        title: 'Requests by status',
        unit: 'reqps',
        queries: { '{{status}}': perSecond('berth_http_request_seconds_count', 'status') },
      },
      {
        title: 'Duration',
        unit: 's',
        queries: {
          p50: quantile(0.5, 'berth_http_request_seconds'),
          p95: quantile(0.95, 'berth_http_request_seconds'),
        },
      },
      {
        title: 'Slowest routes, p95',
        unit: 's',
        queries: { '{{route}}': `topk(10, ${quantile(0.95, 'berth_http_request_seconds', ', route')})` },
      },
      { title: 'Requests in flight', queries: { '{{pod}}': 'sum by (pod) (berth_http_in_flight{$of})' } },
      { title: 'Event streams', queries: { '{{pod}}': 'sum by (pod) (berth_event_streams_open{$of})' } },
    ],
  },
  bus: {
    title: 'Berth: bus and processes',
    panels: [
      {
        title: 'Calls that were answered, p95',
        unit: 's',
        queries: { '{{pod}}': quantile(0.95, 'berth_rpc_served_seconds', ', pod') },
      },
      { title: 'Calls in flight', queries: { '{{pod}}': 'sum by (pod) (berth_rpc_in_flight{$of})' } },
      {
        title: 'Refused by NATS, dropped, slow',
        unit: 'reqps',
        queries: {
          'denied {{pod}}': perSecond('berth_nats_denied_total', 'pod'),
          'dropped {{pod}}': perSecond('berth_rpc_dropped_total', 'pod'),
          'slow {{pod}}': perSecond('berth_nats_slow_total', 'pod'),
        },
      },
      {
        title: 'State streams',
        unit: 'percentunit',
        queries: { '{{pod}}': 'max by (pod) (berth_state_stream_used_ratio{$of})' },
      },
      {
        title: 'Delay of the event loop, p99',
        unit: 's',
        queries: {
          'all {{pod}}': quantile(0.99, 'berth_event_loop_delay_seconds', ', pod'),
          'own {{pod}}': quantile(0.99, 'berth_event_loop_own_delay_seconds', ', pod'),
        },
      },
      {
        title: 'Failed runs of loops',
        unit: 'reqps',
        queries: { '{{pod}} {{loop}}': perSecond('berth_loop_runs_total', 'pod, loop', ', outcome="failed"') },
      },
    ],
  },
};

const columns = 2;
const size = { w: 24 / columns, h: 8 };
const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Grafana dashboards by file name. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dashboards).map(([name, { title, panels }]) => [
      `${name}.json`,
      `${JSON.stringify({ uid: `berth-${name}`, title, ...frame, panels: panels.map(panelOf) }, null, 2)}\n`,
    ]),
  );

const frame = {
  schemaVersion: 39,
  version: 1,
  editable: true,
  tags: ['berth'],
  time: { from: 'now-3h', to: 'now' },
  refresh: '30s',
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
      {
        name: 'namespace',
        type: 'query',
        label: 'Namespace',
        datasource,
        query: 'label_values(berth_loop_runs_total, namespace)',
        refresh: 2,
      },
    ],
  },
};

const panelOf = ({ title, unit = 'short', queries }: Panel, index: number) => ({
  id: index + 1,
  title,
  type: 'timeseries',
  datasource,
  gridPos: { ...size, x: (index % columns) * size.w, y: Math.floor(index / columns) * size.h },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(queries).map(([legendFormat, query], at) => ({
    refId: String.fromCodePoint(65 + at),
    datasource,
    legendFormat,
    expr: query.replaceAll('$of', 'namespace="$namespace"'),
  })),
});

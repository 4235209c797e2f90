import { unwrap, waitForTask, waitUntil } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { CoreV1Api } from '@kubernetes/client-node';
import type { NodeWithLogs } from '../setup/workloads/node-with-logs.ts';
import { deployed } from './browser/deploy.ts';
import { type Grounds, kubeConfigOf } from './browser/grounds.ts';
import { publishChart } from './browser/publish-chart.ts';

/** Texts that become scripts, pictures or links wherever text is taken for markup. */
const corpus = [
  '<img src=x onerror="window.attacked=1">',
  '<script>window.attacked=1</script>',
  '"><svg onload=window.attacked=1>',
  '[click](javascript:window.attacked=1)',
  '<a href="javascript:window.attacked=1">click</a>',
  '![x](https://127.0.0.1:1/x.png)',
  '{{constructor.constructor("window.attacked=1")()}}',
  '<iframe srcdoc="<script>parent.attacked=1</script>">',
];

/** As much of the corpus as fits on one line. */
const line = (most: number): string =>
  corpus.reduce((all, text) => (all.length + text.length + 1 > most ? all : `${all} ${text}`), '').trim();

/** The text that has to be readable wherever the corpus is shown. */
export const sign = corpus[0] ?? '';

/** Writes the corpus into everything that people and clusters can write, and returns the pages that show it. */
export async function writeHostileTexts(grounds: Grounds, node: NodeWithLogs): Promise<string[]> {
  const { platform, sample } = grounds;
  const { admin } = platform;
  const named = line(95);
  const env = unwrap(await admin.envs.create({ body: { name: named } }));
  const { env_id: envId } = grounds.deployment;
  const bot = unwrap(await admin.bots.create({ body: { display_name: named } }));
  unwrap(await admin.botTokens.create({ body: { bot_id: bot.id, name: named, expires_at: null } }));
  unwrap(await admin.userTokens.create({ body: { user_id: null, name: named, expires_at: null } }));
  const secret = { env_id: envId, collection: named, name: named, contents: 'a' };
  unwrap(await admin.secrets.create({ body: secret }));

  const created = await admin.deployments.create({
    body: {
      name: 'hostile',
      kind_id: sample.registry.kind_id,
      cluster_id: sample.cluster.id,
      helm_chart_id: sample.chart.id,
      config: { ...sampleChart.inputs, greeting: line(1_000) },
      values_override: { unread: { [sign]: line(1_000) } },
    },
  });
  const { id, namespace } = unwrap(created);
  unwrap(await admin.deployments.update({ id, body: { description_md: corpus.join('\n\n') } }));
  const [installed = ''] = created.ok ? created.taskIds : [];
  await waitForTask(admin, installed, { withinMs: 120_000 });

  await grounds.sessionOf('mallory');
  const [mallory] = unwrap(await admin.users.list({ query: { email: 'mallory@example.test' } })).items;
  unwrap(await admin.users.update({ id: mallory?.id ?? '', body: { is_active: true } }));
  unwrap(await admin.envUserPermissions.create({ body: { env_id: env.id, user_id: mallory?.id ?? '', role: 'User' } }));

  await node.run(namespace, 'hostile-log', corpus);
  const { id: pod } = await waitUntil(
    async () =>
      unwrap(await admin.k8sResources.list({ query: { deployment_id: id, kind: 'Pod' } })).items.find(
        ({ name }) => name === 'hostile-log',
      ),
    { what: 'the pod with a log', withinMs: 60_000 },
  );

  const core = kubeConfigOf(platform).makeApiClient(CoreV1Api);
  const [regarding] = (await core.listNamespacedPod({ namespace })).items;
  await core.createNamespacedEvent({
    namespace,
    body: {
      metadata: { name: 'hostile' },
      involvedObject: { kind: 'Pod', name: regarding?.metadata?.name ?? '', namespace },
      type: 'Warning',
      reason: 'Failed',
      message: line(500),
      firstTimestamp: new Date(),
      lastTimestamp: new Date(),
      count: 1,
    },
  });

  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const body = { deployment_id: id, operation: { Reinstall: { reason: line(490) } }, execute_at: soon };
  const { id: later } = unwrap(await admin.deploymentTasks.create({ body }));
  unwrap(await admin.deploymentTasks.cancel({ id: later, body: { reason: line(490) } }));
  return [
    '/envs',
    `/envs/${env.id}`,
    `/envs/${env.id}/members`,
    `/envs/${envId}/secrets`,
    '/admin/users',
    '/admin/bots',
    `/admin/bots?bot=${bot.id}`,
    '/profile/user-tokens',
    `/admin/audit?object=${env.id}`,
    ...['', '/resources', '/values'].map((tab) => `/deployments/${id}${tab}`),
    `/deployments/${id}/logs?pod=${pod}`,
    `/tasks/${installed}`,
    `/tasks/${later}`,
    `/deployments?name=${encodeURIComponent(sign)}`,
  ];
}

/** Writes the corpus into all texts of a chart, whether pages show them or not. */
export async function writeHostileCharts({ platform, sample, deployment }: Grounds): Promise<string[]> {
  const text = line(200);
  const form = {
    inputs: [
      { id: 'text', type: 'text', label: text, helpText: text, initialValue: text },
      { id: 'choice', type: 'RadioSelect', label: text, options: [{ value: sign, label: text, helpText: text }] },
    ],
  };
  const ofBerth = { apiVersion: 'berth.dev/v1beta1' };
  const { chart, kindId } = await publishChart(
    platform,
    {
      name: 'hostile-texts',
      description: text,
      home: 'javascript:window.attacked=1',
      maintainers: [{ name: text, url: 'javascript:window.attacked=1' }],
      keywords: [text],
      annotations: { 'berth.dev/git/branch': sign, 'berth.dev/git/commit': sign },
    },
    {
      'berth/values-ui.yaml': { ...ofBerth, kind: 'ValuesUi', ...form },
      'berth/actions.yaml': [
        {
          ...ofBerth,
          kind: 'Action',
          spec: {
            id: 'act',
            title: sign,
            description: text,
            allowed_role: 'Maintainer',
            endpoint: 'standard_ingress',
            path: '/act',
            method: 'POST',
            iconset_icon: 'bullhorn',
            ui_schema: { ...form, outputs: { values: [] } },
          },
        },
      ],
      'berth/resources.yaml': [
        {
          ...ofBerth,
          kind: 'ResourceType',
          key: 'page',
          spec: {
            name_singular: sign,
            name_plural: sign,
            iconset_icon: 'file',
            values_ui: form,
            lifecycle: { create: { allowed_role: 'Maintainer' } },
          },
        },
      ],
      'templates/objects.yaml': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'hostile', annotations: { text } },
        data: { text },
      },
    },
  );
  const broken = await publishChart(
    platform,
    { name: 'hostile-error' },
    {
      'berth/values-ui.yaml': {
        ...ofBerth,
        kind: 'ValuesUi',
        inputs: [{ id: 'text', type: 'text', label: text, [sign]: text }],
      },
    },
  );
  const config = { text, choice: sign };
  const { id } = await deployed(
    { platform, sample },
    { name: 'hostile-texts', chart: { id: chart.id, kindId }, config },
  );
  return [
    '/charts',
    `/charts/${chart.id}`,
    `/charts/${broken.chart.id}`,
    `/deployments/${id}`,
    `/deployments/${id}/change`,
    `/envs/${deployment.env_id}/resources`,
  ];
}

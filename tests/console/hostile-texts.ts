import { unwrap, waitForTask } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { CoreV1Api } from '@kubernetes/client-node';
import { type Grounds, kubeConfigOf } from './browser/grounds.ts';

/** Texts that become scripts, pictures or links where markup is made of text. */
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

/** The corpus in one line, as far as it fits. */
const line = (most: number): string =>
  corpus.reduce((all, text) => (all.length + text.length + 1 > most ? all : `${all} ${text}`), '').trim();

/** Where the first text of the corpus has to be read in full. */
export const sign = corpus[0] ?? '';

/** Puts the corpus into whatever people, charts and clusters can write, and tells on which pages it shows. */
export async function writeHostileTexts(grounds: Grounds): Promise<string[]> {
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

  const core = kubeConfigOf(platform).makeApiClient(CoreV1Api);
  const [pod] = (await core.listNamespacedPod({ namespace })).items;
  await core.createNamespacedEvent({
    namespace,
    body: {
      metadata: { name: 'hostile' },
      involvedObject: { kind: 'Pod', name: pod?.metadata?.name ?? '', namespace },
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
    `/envs/${envId}/secrets`,
    '/admin/bots',
    `/admin/bots?bot=${bot.id}`,
    '/profile/user-tokens',
    `/admin/audit?object=${env.id}`,
    ...['', '/resources', '/values'].map((tab) => `/deployments/${id}${tab}`),
    `/tasks/${installed}`,
    `/tasks/${later}`,
    `/deployments?name=${encodeURIComponent(sign)}`,
  ];
}

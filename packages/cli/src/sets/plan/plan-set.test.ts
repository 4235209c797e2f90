import { expect, test } from 'vitest';
import type { Chart } from '../live/charts.ts';
import { liveSet } from '../live/live-set.ts';
import { parseDocuments } from '../documents/parse-documents.ts';
import { keyOf } from '../documents/row-key.ts';
import type { PlatformRows } from '../live/platform-rows.ts';
import { type PlanGiven, planSet } from './plan-set.ts';
import { planLines } from './set-lines.ts';

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const ids = Array.from({ length: 13 }, (_, at) => idOf(at + 1));
const [prod = '', local = '', kind = '', chart1 = '', chart2 = '', grace = '', web = '', token = ''] = ids;
const [page = '', ci = '', member = '', role = '', main = ''] = ids.slice(8);
const created_at = '2026-11-25T00:00:00Z';

const chartOf = (id: string | undefined, tag: string, rest: Partial<Chart> = {}): Chart => ({
  id: id ?? '',
  kind: 'HelloWeb',
  tag,
  digest: `sha256:${tag}`,
  available: true,
  error: null,
  ...rest,
});

/** An env with a cluster, a member with a role, a secret, a deployment that uses it, and a resource; and a bot. */
const platform = {
  envs: [{ id: prod, created_at, name: 'prod', node_selector: null, tolerations: null, auto_add_new_users: false }],
  bots: [{ id: ci, created_at, display_name: 'ci', is_active: true }],
  clusters: [
    {
      id: local,
      env_id: prod,
      provider_id: 'p',
      created_at,
      last_seen_at: created_at,
      name: 'local',
      region_name: 'r',
      is_ok: true,
      not_ok_reason: null,
      ignore: false,
      ingress_domain: null,
      ingress_class: null,
      ingress_tls_secret_name: null,
      metrics_url: null,
      metrics_datasource_name: null,
    },
  ],
  users: [
    { id: grace, created_at, display_name: 'Grace', email: 'grace@example.test', is_admin: false, is_active: true },
  ],
  kinds: [{ id: kind, name: 'HelloWeb' }],
  members: [{ id: member, created_at, env_id: prod, user_id: grace, role: 'User' }],
  roles: [{ id: role, created_at, env_id: prod, user_id: grace, kind_id: kind, role: 'Owner' }],
  secrets: [{ id: token, created_at, updated_at: created_at, env_id: prod, collection: 'web', name: 'token' }],
  deployments: [
    {
      id: web,
      created_at,
      name: 'web',
      kind_id: kind,
      env_id: prod,
      cluster_id: local,
      namespace: 'helloweb-web',
      enabled: true,
      status: 'Running',
      description_md: null,
      reason: null,
      revision_id: null,
      reported_status: null,
      health: null,
      helm_chart_id: chart1,
      config: { greeting: 'Hello', token },
      values_override: null,
    },
  ],
  types: [
    {
      id: page,
      created_at,
      env_id: prod,
      deployment_kind_id: kind,
      key: 'page',
      spec: { values_ui: { inputs: [{ id: 'title' }, { id: 'password', sensitive: true }] } },
    },
  ],
  resources: [
    {
      id: main,
      created_at,
      type_id: page,
      deployment_id: web,
      name: 'main',
      exists: true,
      props: { title: 'Main' },
      sync_status: 'Ready',
      sync_reason: null,
    },
  ],
  charts: [
    chartOf(chart1, '1.0.0'),
    chartOf(chart2, '2.0.0'),
    chartOf(idOf(98), '3.0.0', { error: 'broken' }),
    chartOf(idOf(99), '4.0.0', { available: false }),
  ],
} as unknown as PlatformRows;

const docs = {
  env: 'kind: Env\nname: prod\nauto_add_new_users: false',
  bot: 'kind: Bot\nname: ci',
  cluster: 'kind: Cluster\nname: local\nenv: prod',
  member: 'kind: Member\nenv: prod\nuser: grace@example.test\nrole: User',
  role: 'kind: Role\nenv: prod\nuser: grace@example.test\ndeployment_kind: HelloWeb\nrole: Owner',
  secret: 'kind: Secret\nenv: prod\ncollection: web\nname: token\ncontents: { env: TOKEN }',
  web: 'kind: Deployment\nenv: prod\nname: web\nchart: HelloWeb@1.0.0\nconfig: { greeting: Hello, token: { ref: Secret/web/token } }',
  page: 'kind: Resource\nenv: prod\ndeployment: web\ntype: HelloWeb/page\nname: main\nprops: { title: Main }\nsensitive_props: { password: { env: PASSWORD } }',
};
const all = Object.values(docs);
const yaml = (texts: readonly string[]): string =>
  texts.map((text) => `apiVersion: berth.dev/v1\n${text}\n`).join('---\n');
const parse = (texts: readonly string[]) =>
  parseDocuments([{ name: 'set.yaml', text: yaml(texts) }], { allowInline: true });

function plan(texts: readonly string[], given: Partial<PlanGiven> & { rows?: Partial<PlatformRows> } = {}) {
  const { rows = {}, ...rest } = given;
  const live = liveSet({ ...platform, ...rows });
  return planSet({
    found: parse(texts),
    live,
    owned: {},
    prune: false,
    writeSecrets: false,
    problemOf: () => null,
    ...rest,
  });
}
/** Action and key of each step that is not `keep`, with the changed fields and the reason. */
const does = (texts: readonly string[], given: Parameters<typeof plan>[1] = {}) =>
  plan(texts, given).steps.flatMap(({ action, key, fields, reason }) =>
    action === 'keep'
      ? []
      : [[action, key, ...fields.map(({ path }) => path), ...(reason === null ? [] : [reason])].join(' ')],
  );

test('documents that equal the platform change nothing, in any order', () => {
  expect(does(all)).toEqual([]);
  expect(does(all.toReversed())).toEqual([]);
  expect(plan(all).steps).toHaveLength(all.length);
});

test('on an empty platform everything is created in the order of its needs', () => {
  const empty = { envs: [], bots: [], members: [], roles: [], secrets: [], deployments: [], types: [], resources: [] };
  const clusters = platform.clusters.map((cluster) => ({ ...cluster, env_id: null }));

  expect(does(all.toReversed(), { rows: { ...empty, clusters } })).toEqual([
    'create Env/prod',
    'create Bot/ci',
    'change Cluster/local env',
    'create Member/prod/grace@example.test',
    'create Role/prod/grace@example.test/HelloWeb',
    'create Secret/prod/web/token',
    'create Deployment/prod/local/HelloWeb/web',
    'create Resource/prod/HelloWeb/page/main',
  ]);
});

test('a deployment that refers to a resource or another deployment comes after it', () => {
  const user =
    'kind: Deployment\nenv: prod\nname: a\nchart: HelloWeb@1.0.0\nconfig: { page: [{ ref: Resource/HelloWeb/page/main }], of: { ref: Deployment/local/HelloWeb/web } }';

  expect(does([user, docs.page, docs.web], { rows: { deployments: [], resources: [] } })).toEqual(
    [
      'create Deployment/prod/local/HelloWeb/web',
      'create Resource/prod/HelloWeb/page/main',
      'create Deployment/prod/local/HelloWeb/a',
    ].map((line) => line.replace(/web$/, 'web')),
  );
});

test.for([
  ['an env', docs.env.replace('false', 'true'), 'change Env/prod auto_add_new_users'],
  ['a bot', `${docs.bot}\nis_active: false`, 'change Bot/ci is_active'],
  ['a cluster', `${docs.cluster}\ningress_domain: apps.example.com`, 'change Cluster/local ingress_domain'],
  ['a member', docs.member.replace('User', 'Admin'), 'change Member/prod/grace@example.test role'],
  ['a role', docs.role.replace('Owner', 'Maintainer'), 'change Role/prod/grace@example.test/HelloWeb role'],
  ['a chart', docs.web.replace('1.0.0', '2.0.0'), 'change Deployment/prod/local/HelloWeb/web chart'],
  ['an input', docs.web.replace('Hello,', 'Hi,'), 'change Deployment/prod/local/HelloWeb/web config.greeting'],
  [
    'an input that is left out',
    docs.web.replace('greeting: Hello, ', ''),
    'change Deployment/prod/local/HelloWeb/web config.greeting',
  ],
  ['whether it is enabled', `${docs.web}\nenabled: false`, 'change Deployment/prod/local/HelloWeb/web enabled'],
  ['a prop', docs.page.replace('title: Main', 'title: Other'), 'change Resource/prod/HelloWeb/page/main props.title'],
] as [string, string, string][])('a document that differs changes %s and nothing else', ([, text, expected]) => {
  const others = all.filter((one) => one.split('\n')[0] !== text.split('\n')[0]);

  expect(does([...others, text])).toEqual([expected]);
});

test('a cluster that is taken out of its env has no place for the deployments there', () => {
  expect(does([docs.cluster.replace('env: prod', 'env: null'), docs.web])).toEqual([
    'change Cluster/local env',
    expect.stringContaining('env prod has no cluster'),
  ]);
});

test.for([
  ['an unknown env', docs.secret.replace('prod', 'nowhere'), /no Env\/nowhere: add a document/],
  ['an unknown cluster', docs.cluster.replace('local', 'other'), /no cluster other: berth get clusters/],
  ['an unknown user', docs.member.replace('grace', 'linus'), /no user linus@example\.test: .*first sign-in/],
  [
    'a role without a membership',
    docs.role.replace('grace', 'linus'),
    /no Member\/prod\/linus@example\.test: add a document/,
  ],
  ['an unknown kind', docs.role.replace('HelloWeb', 'Other'), /no kind Other/],
  ['an unknown chart', docs.web.replace('1.0.0', '9.9.9'), /no chart HelloWeb@9\.9\.9 in the catalogue/],
  ['a broken chart', docs.web.replace('1.0.0', '3.0.0'), /cannot be deployed: broken/],
  ['a chart that was removed', docs.web.replace('1.0.0', '4.0.0'), /no chart .* in the catalogue/],
  ['an unknown reference', docs.web.replace('web/token', 'web/other'), /no Secret\/prod\/web\/other/],
  ['a cluster of another env', `${docs.web}\ncluster: other`, /cluster other is not one that env prod may use: local/],
  [
    'another managing deployment',
    docs.page.replace('deployment: web', 'deployment: api'),
    /no Deployment\/prod\/local\/HelloWeb\/api/,
  ],
] as [string, string, RegExp][])('%s blocks its row alone, with the way out', ([, text, reason]) => {
  const { steps } = plan([docs.env, text]);

  expect(steps).toMatchObject([{ action: 'keep' }, { action: 'blocked', reason: expect.stringMatching(reason) }]);
});

test('an env with several clusters, or with none, needs a cluster in its deployments', () => {
  const second = { ...platform.clusters[0], id: idOf(50), name: 'second' } as PlatformRows['clusters'][number];

  expect(does([docs.web], { rows: { clusters: [...platform.clusters, second] } })).toEqual([
    expect.stringMatching(/several clusters: give cluster, one of local, second/),
  ]);
  expect(
    does([docs.web.replace('env: prod', 'env: prod\ncluster: local')], {
      rows: { clusters: [...platform.clusters, second] },
    }),
  ).toEqual([]);
  expect(does([docs.web], { rows: { clusters: [], deployments: [] } })).toEqual([
    expect.stringMatching(/no cluster: add a Cluster document/),
  ]);
});

test('contents of secrets are read only if they are written: for a new secret, or with --write-secrets', () => {
  const problemOf = () => 'the environment variable TOKEN is not set';

  expect(does(all, { problemOf })).toEqual([]);
  expect(does(all, { writeSecrets: true })).toEqual([
    'change Secret/prod/web/token contents',
    'change Resource/prod/HelloWeb/page/main sensitive_props',
  ]);
  expect(does([docs.secret], { problemOf, writeSecrets: true })).toEqual([expect.stringContaining('TOKEN is not set')]);
  expect(does([docs.secret], { problemOf, rows: { secrets: [], deployments: [] } })).toEqual([
    expect.stringContaining('TOKEN is not set'),
  ]);
});

const owned = {
  'Secret/prod/web/token': token,
  'Deployment/prod/local/HelloWeb/web': web,
  'Env/prod': prod,
};

test('prune deletes rows of the set without a document, users before what they use, and nothing else', () => {
  expect(does([docs.bot], { owned })).toEqual([]);
  expect(does([docs.bot], { owned, prune: true })).toEqual([
    'delete Deployment/prod/local/HelloWeb/web',
    'delete Secret/prod/web/token',
    'delete Env/prod',
  ]);
  expect(does([docs.bot], { prune: true })).toEqual([]);
  expect(does([docs.env, docs.secret, docs.web], { owned, prune: true })).toEqual([]);
});

test('prune deletes nothing of a kind while a document of that kind is blocked, since it may mean the row', () => {
  const second = { ...platform.clusters[0], id: idOf(50), name: 'second' } as PlatformRows['clusters'][number];
  const clusters = [...platform.clusters, second];

  expect(does([docs.env, docs.web], { owned, prune: true, rows: { clusters } })).toEqual([
    expect.stringMatching(/^blocked Deployment.*several clusters/),
    expect.stringMatching(/^blocked Deployment\/prod\/local\/HelloWeb\/web is not deleted before/),
    'delete Secret/prod/web/token',
  ]);
  expect(does([docs.env, docs.web], { owned, prune: true, rows: { clusters: [] } })).not.toContainEqual(
    expect.stringMatching(/^delete Deployment/),
  );
});

test('a user or kind that is named by its id is the same row, so prune leaves it', () => {
  const ownedRoles = {
    'Member/prod/grace@example.test': member,
    'Role/prod/grace@example.test/HelloWeb': role,
  };
  const byId = [docs.member, docs.role].map((text) =>
    text.replace('grace@example.test', grace).replace('deployment_kind: HelloWeb', `deployment_kind: ${kind}`),
  );

  expect(does(byId, { owned: ownedRoles, prune: true })).toEqual([]);
});

test('a row with another id or name is not the one of the set, so prune leaves it', () => {
  const others = { 'Secret/prod/web/token': idOf(77), 'Secret/prod/web/gone': idOf(78) };

  const { steps, forgotten } = plan([docs.env], { owned: others, prune: true });

  expect(steps.map(({ action }) => action)).toEqual(['keep']);
  expect(forgotten).toEqual(Object.keys(others));
});

test('a row that is being deleted is neither changed nor deleted again', () => {
  const deployments = platform.deployments.map((one) => ({ ...one, status: 'Deleting' as const }));

  expect(does([docs.web], { rows: { deployments } })).toEqual([
    expect.stringContaining('is being deleted: apply again'),
  ]);
  expect(does([docs.bot], { rows: { deployments }, owned, prune: true })).not.toContain(
    'delete Deployment/prod/local/HelloWeb/web',
  );
});

test('a name that several bots have is refused with their ids', () => {
  const bots = [...platform.bots, { ...platform.bots[0], id: idOf(60) }] as PlatformRows['bots'];

  expect(does([docs.bot], { rows: { bots } })).toEqual([
    expect.stringContaining(`give the id of one, ${ci} or ${idOf(60)}`),
  ]);
  expect(does([`kind: Bot\nname: ${ci}`], { rows: { bots } })).toEqual([]);
});

test('a version with replaced content is another chart; a removed version stays the same chart until something replaces it', () => {
  const removed = chartOf(chart1, '1.0.0', { available: false });
  const pushedAgain = chartOf(idOf(70), '1.0.0', { digest: 'sha256:new' });

  expect(does([docs.web], { rows: { charts: [removed] } })).toEqual([]);
  expect(does([docs.web], { rows: { charts: [removed, pushedAgain] } })).toEqual([
    'change Deployment/prod/local/HelloWeb/web chart',
  ]);
  expect(does([docs.web.replace('@1.0.0', '@sha256:1.0.0')], { rows: { charts: [removed, pushedAgain] } })).toEqual([]);
});

test('two documents of one row, and documents that need each other, are refused with their places in the files', () => {
  expect(() => plan([docs.web, `${docs.web}\ncluster: local`])).toThrow(
    /same row Deployment\/prod\/local\/HelloWeb\/web: set\.yaml:1 and set\.yaml:\d+/,
  );
  const [a, b] = ['a', 'b'].map(
    (name) =>
      `kind: Deployment\nenv: prod\nname: ${name}\nchart: HelloWeb@1.0.0\nconfig: { of: { ref: Deployment/local/HelloWeb/${name === 'a' ? 'b' : 'a'} } }`,
  ) as [string, string];
  const there = { deployments: [] };
  expect(() => plan([a, b], { rows: there })).toThrow(/none can be first: .*\/a needs .*\/b needs .*\/a/);
});

test('a deployment that is there may refer to a resource that it manages', () => {
  const deployments = platform.deployments.map((one) => ({
    ...one,
    config: { page: main },
  })) as PlatformRows['deployments'];
  const own = docs.web.replace(/config: .*/, 'config: { page: { ref: Resource/HelloWeb/page/main } }');

  expect(does([own, docs.page], { rows: { deployments } })).toEqual([]);
});

test('the lines of a plan show values unless they may be secret', () => {
  const override = `${docs.web.replace('Hello,', 'Hi,')}\nvalues_override: { password: swordfish }`;
  const lines = planLines(plan([override, docs.secret], { writeSecrets: true })).join('\n');

  expect(lines).toContain('config.greeting: "Hello" → "Hi"');
  expect(lines).toContain('values_override (hidden)');
  expect(lines).toContain('contents (hidden)');
  expect(lines).not.toContain('swordfish');
  expect(lines).toContain('0 to create, 2 to change, 0 to delete, 0 blocked, 0 unchanged');
});

test('names with slashes make keys of their own', () => {
  const [one, two] = parse([
    'kind: Secret\nenv: a/b\ncollection: c\nname: d\ncontents: { env: A }',
    'kind: Secret\nenv: a\ncollection: b/c\nname: d\ncontents: { env: A }',
  ]);

  expect(one && keyOf(one.document)).toBe('Secret/a%2Fb/c/d');
  expect(two && keyOf(two.document)).toBe('Secret/a/b%2Fc/d');
});

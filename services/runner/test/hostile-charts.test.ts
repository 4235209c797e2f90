import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { portOf } from '@berth/testing/network/port-of';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeApiServer } from '@berth/devstack/testing/fake-api-server';
import { taskOf } from './support/fake-tasks.ts';
import { actionsIn, soon } from './support/helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startRunnerWorld({ chartFiles: hostileChart });
  act = actionsIn(world);
  runner = await world.start({ RUNNER_HELM_CPU_SECONDS: '3' });
});
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const hostileChart = {
  'Chart.yaml': 'apiVersion: v2\nname: hostile\nversion: 1.0.0\n',
  'values.yaml': 'text: ""\nnotes: ""\n',
  'templates/any.yaml': '{{ tpl .Values.text . }}\n',
  'templates/map.yaml':
    '{{ if not .Values.isEmpty }}\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: probe }\n{{ end }}\n',
  'templates/NOTES.txt': '{{ tpl .Values.notes . }}\n',
};

const threeGigabytes = '# {{ repeat 3000000000 "x" | len }}';
const spin = '{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}';
/** More output than is read, but within the memory of one Helm. */
const endlessNotes = '{{ repeat 1500000 "a\\n" }}';

const hostile = (values: Record<string, string>): ClaimedTask =>
  taskOf(world.chart, { values, wait: { enabled: false, timeout_secs: 10 } });

const hosts = { own: 'own.apps.example.com', domain: 'apps.example.com', berth: ['berth.example.com'] };

const dryRunOf = ({ deployment_id, cluster_id, namespace, chart, values, hosts: routed }: ClaimedTask): DryRun => ({
  task_id: randomUUID(),
  fence: 7,
  action: 'deploy',
  deployment_id,
  cluster_id,
  namespace,
  chart,
  values,
  ...(routed && { hosts: routed }),
  secrets: {},
  confidential: [],
  within_ms: 60_000,
});

async function planned(task: ClaimedTask) {
  const run = dryRunOf(task);
  world.tasks.giveDryRun(run);
  return soon('the outcome of the dry run', () => world.tasks.outcomeOf(run.task_id));
}

const memory = expect.stringContaining('The chart needs more than 192 MiB of memory');
const cpu = expect.stringMatching('The chart needs more than . s of processor time');

describe('a chart that takes more than its share fails for good', () => {
  test('a template of three gigabytes, in a task', async () => {
    const task = hostile({ text: threeGigabytes });

    expect(await act.run(task)).toMatchObject({ outcome: 'Failed', reason: memory });
    expect(world.tasks.textOf(task.task_id)).not.toContain('goroutine');
  });

  test('a template of three gigabytes, in a plan', async () => {
    expect(await planned(hostile({ text: threeGigabytes }))).toEqual({ failure: { refused: true, reason: memory } });
  });

  test('a template that spins, in a task', async () => {
    expect(await act.run(hostile({ text: spin }))).toMatchObject({ outcome: 'Failed', reason: cpu });
  });

  test('a template that spins, in a plan', async () => {
    expect(await planned(hostile({ text: spin }))).toEqual({ failure: { refused: true, reason: cpu } });
  });
});

const ingress = (host: string, annotations = '{}') => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, annotations: ${annotations} }
spec:
  rules:
    - host: ${host}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;
const routed = (text: string): ClaimedTask => ({ ...hostile({ text }), hosts });

describe('before anything is applied', () => {
  test('an Ingress with the host of Berth is refused, and the chart is not installed', async () => {
    const task = routed(ingress('berth.example.com'));

    expect(await act.run(task)).toMatchObject({
      outcome: 'Failed',
      reason:
        'Nothing was applied. The chart may not have these objects: Ingress web has the host berth.example.com of Berth itself',
    });
    expect(await act.releases(task.namespace)).toEqual([]);
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}/configmaps/probe`)).toBe(false);
  });

  test('a hook with the host of another deployment is refused, and the release stays as it is', async () => {
    const task = routed(ingress('own.apps.example.com'));
    expect(await act.run(task)).toMatchObject({ outcome: 'Done' });
    const hook = ingress('other.apps.example.com', '{ helm.sh/hook: post-upgrade }');
    const upgrade = { ...task, task_id: randomUUID(), is_first: false, values: { text: hook } };

    expect(await act.run(upgrade)).toMatchObject({ outcome: 'Failed', reason: expect.stringContaining('other.apps') });
    expect(await act.history(task.namespace)).toEqual(['deployed']);
  });

  const others = ingress('other.apps.example.com');
  const notSpecial = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\nitems:\n- ';

  test.for([
    ['in the items of an object whose kind is not a list', `${notSpecial}${others.trim().replaceAll('\n', '\n  ')}\n`],
    [
      'in a merge after the key that it overrides',
      ingress('own.apps.example.com\n      <<: { host: other.apps.example.com }'),
    ],
  ])('the host of another deployment is refused %s', async ([, text]) => {
    const task = routed(text ?? '');

    expect(await act.run(task)).toMatchObject({ outcome: 'Failed' });
    expect(await act.exists(`/apis/networking.k8s.io/v1/namespaces/${task.namespace}/ingresses/web`)).toBe(false);
  });

  test.for([
    ['a repeated key', others.replace('metadata:', 'metadata: {}\nmetadata:')],
    ['a line break that libraries read differently', `# \u2028${others}`],
  ])('YAML in the folder crds is refused for %s', async ([, text]) => {
    const files = { ...hostileChart, 'crds/any.yaml': text ?? '' };
    const task = { ...routed(''), chart: await world.lateChart(async () => undefined, files) };

    expect(await act.run(task)).toMatchObject({
      outcome: 'Failed',
      reason: expect.stringContaining('YAML whose meaning is not certain'),
    });
    expect(await act.exists(`/apis/networking.k8s.io/v1/namespaces/${task.namespace}/ingresses/web`)).toBe(false);
  });

  test('a plan shows objects that would be refused as blocked, with the reason', async () => {
    expect(await planned(routed(ingress('berth.example.com')))).toMatchObject({
      result: {
        objects: expect.arrayContaining([
          expect.objectContaining({
            action: 'blocked',
            kind: 'Ingress',
            name: 'web',
            reason: expect.stringContaining('has the host berth.example.com of Berth itself'),
          }),
        ]),
      },
    });
  });

  test('a chart that renders nothing is installed', async () => {
    const task = hostile({ isEmpty: 'true' });

    expect(await act.run(task)).toMatchObject({ outcome: 'Done', reason: null });
    expect(await act.history(task.namespace)).toEqual(['deployed']);
  });
});

describe('schemas of values', () => {
  /** A chart with a schema that refers to a server of its own, which counts what it is asked. */
  async function withForeignSchema() {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{"type":"object"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = portOf(server);
    const schema = JSON.stringify({ allOf: [{ $ref: `http://127.0.0.1:${port}/latest/meta-data` }] });
    const files = { ...hostileChart, 'values.schema.json': schema };
    const task = { ...hostile({}), chart: await world.lateChart(async () => undefined, files) };
    asked.length = 0;
    return { asked, task, [Symbol.dispose]: () => void server.close() };
  }

  test('are not loaded from hosts that a chart names, neither by a task nor by a plan', async () => {
    using chart = await withForeignSchema();

    expect(await planned({ ...chart.task, task_id: randomUUID() })).toMatchObject({ result: {} });
    expect(await act.run(chart.task)).toMatchObject({ outcome: 'Done' });

    expect(chart.asked).toEqual([]);
    expect(world.tasks.textOf(chart.task.task_id)).toContain('the values are not checked against values.schema.json');
  });

  test('of the chart alone are checked', async () => {
    const schema = JSON.stringify({
      $defs: { word: { type: 'integer' } },
      properties: { text: { $ref: '#/$defs/word' } },
    });
    const files = { ...hostileChart, 'values.schema.json': schema };
    const chart = await world.lateChart(async () => undefined, files);

    expect(await act.run({ ...hostile({ text: 'word' }), chart })).toMatchObject({
      outcome: 'Failed',
      reason: expect.stringContaining('got string, want integer'),
    });
  });
});

test('a release with endless notes is deployed, and its log mentions the omission', async () => {
  const task = hostile({ notes: endlessNotes });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });
  expect(world.tasks.textOf(task.task_id)).toMatch(/left out/);
});

/** Secrets in the namespace that pretend to be revisions of the release: a bomb of 16 MiB, and too many others. */
async function forgeRecords(namespace: string): Promise<void> {
  const bomb = gzipSync(`{"info":{"status":"deployed"},"a":${'['.repeat(16_000_000)}`);
  const release = Buffer.from(bomb.toString('base64')).toString('base64');
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const labels = { owner: 'helm', name: namespace, version: '99', status: 'deployed' };
    const secret = { metadata: { name, labels }, type: 'helm.sh/release.v1', data: { release } };
    await act.post(`/api/v1/namespaces/${namespace}/secrets`, secret);
  }
}

/** Answers each request with megabytes of small objects. */
async function startHostileCluster() {
  const server = await startFakeApiServer();
  const answer = `{"metadata":{},"items":[${'{"metadata":{"name":"x"}},'.repeat(150_000)}{}]}`;
  server.misbehave = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
    return true;
  };
  const { server: url, ca } = server.access;
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca ?? '').toString('base64') };
  const kubeconfig = JSON.stringify({
    'current-context': 'hostile',
    clusters: [{ name: 'hostile', cluster }],
    users: [{ name: 'hostile', user: { token: 'a-token' } }],
    contexts: [{ name: 'hostile', context: { cluster: 'hostile', user: 'hostile' } }],
  });
  return { kubeconfig, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('other releases are deployed at their first attempt, and no claim is lost, while charts, records, secrets and an API server are as hostile as they can be', async () => {
  await using cluster = await startHostileCluster();
  const installed = hostile({});
  expect(await act.run(installed)).toMatchObject({ outcome: 'Done' });
  await forgeRecords(installed.namespace);
  const forged = { ...hostile({ text: '# changed' }), ...placeOf(installed), is_first: false };
  const misled = hostile({});
  world.issueFor(misled.namespace, cluster.kubeconfig);
  const lines = Array.from({ length: 1_000 }, () => randomBytes(24).toString('base64'));
  const bundle = { bundle: { pem: lines.join('\n') } };
  const talkative = {
    ...hostile({ notes: `{{ repeat 2000 "${lines.slice(0, 20).join('\\n')}\\n" }}` }),
    secrets: bundle,
  };
  const attacks = [threeGigabytes, spin, threeGigabytes, spin].map((text) => hostile({ text }));
  const notes = hostile({ notes: endlessNotes });
  const others = Array.from({ length: 5 }, () => hostile({}));

  const plans = attacks.slice(0, 2).map(planned);
  for (const task of [...attacks, forged, misled, talkative, notes, ...others]) world.tasks.give(task);
  const [ends, ofForged, ofMisled, ofTalkative] = await Promise.all([
    Promise.all([...others, ...attacks].map(ended)),
    ended(forged),
    ended(misled),
    ended(talkative),
  ]);

  expect(ends.map(({ outcome }) => outcome)).toEqual([...others.map(() => 'Done'), ...attacks.map(() => 'Failed')]);
  for (const outcome of await Promise.all(plans)) expect(outcome).toMatchObject({ failure: { refused: true } });
  expect(ofForged).toMatchObject({ outcome: 'Failed', reason: expect.stringContaining('did not write for Berth') });
  expect(ofMisled.outcome).not.toBe('Done');
  expect(ofTalkative).toMatchObject({ outcome: 'Done' });
  const shown = world.tasks.textOf(talkative.task_id);
  expect(lines.filter((line) => shown.includes(line))).toEqual([]);
  const claims = (id: string) => world.tasks.claimed.filter((one) => one === id).length;
  expect([...others, ...attacks].map(({ task_id }) => claims(task_id))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(runner.log()).not.toContain('claim lost');
});

const ended = ({ task_id }: ClaimedTask) => soon('a task to end', () => world.tasks.endOf(task_id));

const placeOf = ({ deployment_id, namespace }: ClaimedTask) => ({ deployment_id, namespace });

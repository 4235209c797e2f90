import { unwrap, waitUntil } from '@berth/client';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixtureChart } from './setup/charts/fixture-chart.ts';
import { createGrantableRole, grantRole } from './setup/grants/grant-custom-resources.ts';
import { type Platform, startPlatform } from './setup/platform.ts';
import {
  type ChartFiles,
  chartFolder,
  everythingChart,
  forAnotherKubernetes,
  libraryChart,
  olderChart,
  tooLargeToRecord,
} from './setup/charts/unusual-charts.ts';

let platform: Platform;
let sample: Sample;
beforeAll(async () => {
  platform = await startPlatform();
  sample = await platform.sample('bad-input');
});
afterAll(() => platform[Symbol.asyncDispose]());

const Problem = z.looseObject({
  status: z.number(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

async function post(path: string, body: string | object, headers: Record<string, string> = {}) {
  const response = await fetch(`${platform.stack.url}/api/v2${path}`, {
    method: 'POST',
    headers: { 'x-service-token': platform.adminToken, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const problem = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return { status: response.status, code: problem.code, paths: (problem.errors ?? []).map(({ path }) => path) };
}

const deployment = <T extends object>(changes: T) => ({
  name: 'fine',
  kind_id: sample.registry.kind_id,
  cluster_id: sample.cluster.id,
  helm_chart_id: sample.chart.id,
  config: sampleChart.inputs,
  values_override: null,
  ...changes,
});

async function chartInCatalogue(name: string) {
  const { helmCharts, helmRegistries } = platform.admin;
  return waitUntil(
    async () => {
      const [registry] = unwrap(await helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      if (!registry) return null;
      const [chart] = unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return chart && { registry, chart };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 90_000 },
  );
}

describe('a deployment is refused, and the refusal names the field,', () => {
  test.for([
    ['whose name is not a DNS label', { name: 'Not_A_Label' }, 'body.name'],
    ['whose name looks like an option', { name: '--post-renderer=x' }, 'body.name'],
    ['whose name is too long', { name: 'x'.repeat(64) }, 'body.name'],
    ['with an unknown field', { surprise: 1 }, 'body.surprise'],
    ['with a field of the wrong type', { config: 'text' }, 'body.config'],
    ['with an id that is not a UUID', { cluster_id: 'nope' }, 'body.cluster_id'],
    ['with a cluster that does not exist', { cluster_id: '0b8a6b0e-0000-4000-8000-00000000dead' }, 'body.cluster_id'],
    [
      'with an input of the wrong type',
      { config: { ...sampleChart.inputs, replicas: 'many' } },
      'body.config.replicas',
    ],
    ['with an input that the chart does not know', { config: { ...sampleChart.inputs, nope: 1 } }, 'body.config.nope'],
  ] as const)('%s', async ([, changes, path]) => {
    const { status, paths } = await post('/deployments', deployment(changes));
    expect([400, 422]).toContain(status);
    expect(paths).toContain(path);
  });

  test('whose chart is of another kind', async () => {
    await using other = await fixtureChart({ name: 'other-kind', base: sampleChart.folder });
    await pushChart({ ...platform.stack, folder: other.folder, signal: AbortSignal.timeout(60_000) });
    const { chart } = await chartInCatalogue('other-kind');

    expect(await post('/deployments', deployment({ helm_chart_id: chart.id }))).toMatchObject({
      status: 422,
      paths: ['body.helm_chart_id'],
    });
  });
});

describe('a body is refused', () => {
  test.for([
    ['that is not JSON', '{', {}, 400, 'invalid'],
    ['with a __proto__ key', '{"__proto__":{"name":"x"}}', {}, 400, 'invalid'],
    ['that is nested too deeply', `{"name":${'['.repeat(200)}${']'.repeat(200)}}`, {}, 400, 'invalid'],
    ['that is too large', `{"name":"${'x'.repeat(1_100_000)}"}`, {}, 413, 'too_large'],
    [
      'of another media type',
      'name=x',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
  ] as const)('%s', async ([, body, headers, status, code]) => {
    expect(await post('/envs', body, { ...headers })).toMatchObject({ status, code });
  });

  test('before it is read if the request has no credential', async () => {
    const response = await fetch(`${platform.stack.url}/api/v2/envs`, { method: 'POST', body: 'x'.repeat(2_000_000) });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });
});

describe('a list over HTTP', () => {
  const get = async (path: string) => {
    const response = await fetch(`${platform.stack.url}/api/v2${path}`, {
      headers: { 'x-service-token': platform.adminToken },
    });
    return { status: response.status, body: await response.json() };
  };

  test('of resources refuses null as the env, and names the parameter', async () => {
    expect(await get('/deployment-resources?env_id=null')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'query.env_id' }] },
    });
  });

  test('of charts is filtered by version and tag', async () => {
    const { id, parsed_version, image_tag } = sample.chart;
    const idsOf = async (query: string) => {
      const { status, body } = await get(`/helm-charts?${query}`);
      expect(status).toBe(200);
      return z
        .object({ items: z.array(z.object({ id: z.string() })) })
        .parse(body)
        .items.map((chart) => chart.id);
    };
    const version = encodeURIComponent(parsed_version ?? '');
    const ofRegistry = `helm_registry_id=${sample.registry.id}`;

    expect(await idsOf(`${ofRegistry}&parsed_version=${version}`)).toContain(id);
    expect(await idsOf(`${ofRegistry}&image_tag=${encodeURIComponent(image_tag)}`)).toEqual([id]);
    expect(await idsOf(`${ofRegistry}&parsed_version=77.0.0`)).toEqual([]);
  });
});

test('a wrong method on a known path answers 405 and lists the allowed methods', async () => {
  const response = await fetch(`${platform.stack.url}/api/v2/envs`, { method: 'DELETE' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, POST, HEAD');
});

describe('a chart', () => {
  test('with a broken extension file is listed with an error that names the file and the rule, and cannot be deployed', async () => {
    await using broken = await fixtureChart({
      name: 'broken-extension',
      base: sampleChart.folder,
      files: {
        'berth/values-ui.yaml':
          'apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n  - id: a\n    type: nonsense\n    label: A\noutputs: {}\n',
      },
    });
    await pushChart({ ...platform.stack, folder: broken.folder, signal: AbortSignal.timeout(60_000) });
    const { chart, registry } = await chartInCatalogue('broken-extension');

    expect(chart.error).toMatch(/values-ui\.yaml.*inputs\[0\]\.type/s);
    const refused = await post('/deployments', deployment({ helm_chart_id: chart.id, kind_id: registry.kind_id }));
    expect(refused).toMatchObject({ status: 422, paths: ['body.helm_chart_id'] });
  });

  test.for([
    ['whose template fails', '{{ fail "the harbour is closed" }}\n', 'the harbour is closed'],
    [
      'with a field that Kubernetes does not know',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: misspelt }\nspec: { cargo: coal }\n',
      '.spec: field not declared',
    ],
  ] as const)("%s leaves the task Failed with Helm's message and the deployment in Error", async ([, file, words]) => {
    const name = `failing-${words.replaceAll(/[^a-z]+/g, '')}`;
    await using failing = await fixtureChart({
      name,
      base: sampleChart.folder,
      files: { 'templates/failing.yaml': file },
    });
    await pushChart({ ...platform.stack, folder: failing.folder, signal: AbortSignal.timeout(60_000) });
    const { chart, registry } = await chartInCatalogue(name);

    const body = deployment({ name: 'fails', helm_chart_id: chart.id, kind_id: registry.kind_id });
    const { deployments, deploymentTasks } = platform.admin;
    const { id } = unwrap(await deployments.create({ body }));
    const failed = await waitUntil(
      async () => {
        const row = unwrap(await deployments.get({ id }));
        return row.status === 'Error' && row;
      },
      { what: 'the deployment to fail', withinMs: 90_000 },
    );

    expect(failed.reason).toContain(words);
    const [task] = unwrap(await deploymentTasks.list({ query: { deployment_id: id } })).items;
    expect(task?.status).toBe('Failed');
    expect(task?.reason).toContain(words);
  });
});

describe('a third-party chart', () => {
  async function published(name: string, files: ChartFiles, links: Record<string, string> = {}) {
    await using chart = await chartFolder(name, files, links);
    await pushChart({ ...platform.stack, folder: chart.folder, signal: AbortSignal.timeout(60_000) });
    return chartInCatalogue(name);
  }

  async function deployed(
    name: string,
    files: ChartFiles,
    {
      config = {},
      links = {},
      beforehand = async () => undefined,
    }: {
      config?: NewDeployment['config'];
      links?: Record<string, string>;
      beforehand?: (kindId: string) => Promise<unknown>;
    } = {},
  ) {
    const { chart, registry } = await published(name, files, links);
    expect(chart.error).toBeNull();
    await beforehand(registry.kind_id);
    const body = deployment({ name: 'x', helm_chart_id: chart.id, kind_id: registry.kind_id, config });
    const { deployments } = platform.admin;
    const { id } = unwrap(await deployments.create({ body }));
    const ended = await waitUntil(
      async () => {
        const row = unwrap(await deployments.get({ id }));
        return (row.status === 'Running' || row.status === 'Error') && row;
      },
      { what: `the deployment of ${name} to end`, withinMs: 90_000 },
    );
    return { ...ended, chart };
  }

  test('with large CRDs, hooks, subcharts, a schema, links and binary files is deployed, changed and removed', async () => {
    const links = { 'linked.txt': 'files/word.txt' };
    await createGrantableRole(platform.stack);
    const { id, status, reason, chart } = await deployed('every.thing', everythingChart(), {
      config: { replicas: 2 },
      links,
      beforehand: (kind_id) => grantRole(platform.admin, { env_id: sample.cluster.env_id ?? '', kind_id }),
    });

    expect({ status, reason }).toEqual({ status: 'Running', reason: null });
    expect(chart).toMatchObject({ parsed_version: '1.2.3+build.7', error: null });
    const { deployments } = platform.admin;
    expect(await deployments.update({ id, body: { config: { big: true, replicas: 2 } } })).toMatchObject({
      problem: { status: 422, errors: [{ path: 'body.config.replicas' }] },
    });

    unwrap(await deployments.update({ id, body: { config: { big: true, replicas: 12 } } }));
    await waitForStatus(id, 'Running');
    unwrap(await deployments.update({ id, body: { enabled: false } }));
    await waitForStatus(id, 'Uninstalled');
  });

  const waitForStatus = (id: string, status: string) =>
    waitUntil(async () => unwrap(await platform.admin.deployments.get({ id })).status === status, {
      what: `the deployment to be ${status}`,
      withinMs: 60_000,
    });

  test('with apiVersion v1 and a requirements.yaml is deployed', async () => {
    expect(await deployed('older-form', olderChart)).toMatchObject({ status: 'Running' });
  });

  test('of type library is listed with the reason why it cannot be deployed', async () => {
    const { chart } = await published('only-a-library', libraryChart);

    expect(chart.error).toBe('Chart.yaml: type: must be application: a library cannot be deployed');
  });

  test.for([
    ['whose release is too large for Helm to record', 'too-large', tooLargeToRecord(), /larger than Helm can record/],
    ['for another version of Kubernetes', 'for-later', forAnotherKubernetes, /requires kubeVersion: >=99\.0\.0-0/],
  ] as const)('%s leaves the deployment in Error with that reason', async ([, name, files, reason]) => {
    expect(await deployed(name, files)).toMatchObject({ status: 'Error', reason: expect.stringMatching(reason) });
  });
});

import { writeFile } from 'node:fs/promises';
import { type Answer, createClient, unwrap } from '@berth/client';
import type { Operation } from '@berth/contracts/definition/contract';
import { httpRouteOf } from '@berth/contracts/definition/http-route';
import { isJsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { type Examples, examples as present } from '@berth/contracts/openapi/examples';
import { resources } from '@berth/contracts/resources/index';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { signIn } from '@berth/devstack/journey/sign-in';
import { type Fixtures, withOwnPlatform } from '@berth/devstack/testing/own-platform';

const file = new URL('../../packages/shared/contracts/src/openapi/examples.json', import.meta.url);

const say = (line: string) => process.stdout.write(`${line}\n`);
const operations = resources.flatMap((resource) => Object.values<Operation>(resource.operations));
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function operationOf(method: string, path: string): Operation | undefined {
  return operations.find((operation) => {
    const route = httpRouteOf(operation);
    if (route?.method !== method) return false;
    const wanted = route.path.split('/');
    const given = path.split('/');
    return (
      wanted.length === given.length &&
      wanted.every((part, index) => (part === ':id' ? isUuid.test(given[index] ?? '') : part === given[index]))
    );
  });
}

/** Sends each public operation once and records requests and answers as the examples of the OpenAPI document. */
async function recordExamples(stack: Stack, { token, sample }: Fixtures): Promise<void> {
  const examples: Examples = {};

  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const operation = operationOf(
      init?.method ?? 'GET',
      new URL(input instanceof Request ? input.url : input).pathname,
    );
    if (operation && operation.produces === undefined && response.ok) {
      const text = await response.clone().text();
      examples[`${operation.resource}.${operation.name}`] ??= {
        ...(typeof init?.body === 'string' && { body: withoutSecrets(JSON.parse(init.body)) }),
        ...(text !== '' && { answer: inOrder(operation, withoutSecrets(JSON.parse(text))) }),
      };
    }
    return response;
  };
  const api = createClient({ baseUrl: stack.url, credential: () => ({ token }), fetch: recording });
  await callAll(stack, api, sample);

  const missing = operations.filter(({ http, produces, resource, name }) => {
    return http !== undefined && produces === undefined && examples[`${resource}.${name}`] === undefined;
  });
  const sorted = Object.fromEntries(
    Object.entries(examples)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, example]) => [name, isCurrent(name, example) ? (present[name] ?? example) : example]),
  );
  await writeFile(file, `${JSON.stringify(sorted, null, 2)}\n`);
  say(
    `    ${Object.keys(sorted).length} examples; none of ${missing.map(({ resource, name }) => `${resource}.${name}`).join(', ')}`,
  );
}

/** Each recording has other ids and times, so an example stays while it fits its contract and has the same fields. */
function isCurrent(name: string, example: Examples[string]): boolean {
  const before = present[name];
  const operation = operations.find((one) => `${one.resource}.${one.name}` === name);
  if (!before || !operation) return false;
  const { body, answer } = before;
  if (body !== undefined && operation.body?.safeParse(body).success !== true) return false;
  if (answer !== undefined && !operation.response.safeParse(answer).success) return false;
  return fieldsOf(before) === fieldsOf(example);
}

const fieldsOf = ({ body, answer }: Examples[string]): string =>
  JSON.stringify([body, answer, itemOf(answer)].map((value) => isJsonObject(value) && Object.keys(value).toSorted()));

const itemOf = (answer: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(answer) && Array.isArray(answer['items']) ? answer['items'][0] : undefined;

/** With its fields as the contract orders them, so that a reader finds the same order everywhere. */
const inOrder = ({ response }: Operation, answer: JsonValue): JsonValue =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was JSON before
  (response.safeParse(answer).data as JsonValue | undefined) ?? answer;

/** Except for port 51234, to which a terminal has its code sent: that is always on its own machine. */
const thisMachine = /127\.0\.0\.1(?::|%3A)(?!51234\b)\d+/g;

/** Tokens are shown only to their creator, and one item of a list is enough. */
function withoutSecrets(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return value.replaceAll(thisMachine, 'host.example.com');
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [
      name,
      name === 'created_token'
        ? 'T0kJ4mExampleOnly0000A.not-a-token'
        : withoutSecrets(name === 'items' ? firstOf(own) : own),
    ]),
  );
}

const firstOf = (items: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(items) ? items.slice(0, 1) : items;

type Client = ReturnType<typeof createClient>;

async function callAll(stack: Stack, api: Client, sample: Fixtures['sample']): Promise<void> {
  const { signal } = new AbortController();
  const { registry, chart, cluster } = sample;
  const env = unwrap(await api.envs.create({ body: { name: 'staging', auto_add_new_users: false } }));
  unwrap(await api.envs.update({ id: env.id, body: { node_selector: { zone: 'eu-1' } } }));
  unwrap(await api.envs.impact({ id: env.id }));

  await signIn({ stack, signal }, 'grace');
  const [grace] = unwrap(await api.users.list({ query: { email: 'grace@example.test' } })).items;
  const user_id = grace?.id ?? '';
  unwrap(await api.users.update({ id: user_id, body: { is_active: true } }));
  const member = unwrap(await api.envUserPermissions.create({ body: { env_id: env.id, user_id, role: 'User' } }));
  unwrap(await api.envUserPermissions.update({ id: member.id, body: { role: 'Admin' } }));
  const role = unwrap(
    await api.deploymentPermissions.create({
      body: { env_id: env.id, user_id, kind_id: registry.kind_id, role: 'Maintainer' },
    }),
  );

  const bot = unwrap(await api.bots.create({ body: { display_name: 'CI' } }));
  unwrap(await api.bots.update({ id: bot.id, body: { display_name: 'CI of the shop' } }));
  unwrap(await api.botTokens.create({ body: { bot_id: bot.id, name: 'pipeline' } }));
  unwrap(await api.userTokens.create({ body: { user_id, name: 'laptop', expires_at: '2030-01-01T00:00:00.000Z' } }));
  const secret = unwrap(
    await api.secrets.create({
      body: { env_id: env.id, collection: 'shop', name: 'database', contents: 'postgres://shop:example@db/shop' },
    }),
  );
  unwrap(await api.secrets.update({ id: secret.id, body: { name: 'main-database' } }));
  unwrap(await api.secrets.impact({ id: secret.id }));
  const format = unwrap(
    await api.helmTagFormats.create({ body: { pattern: '^(?<version>\\d+\\.\\d+\\.\\d+)-shop$' } }),
  );
  const grant = unwrap(
    await api.clusterRoleGrants.create({
      body: { env_id: env.id, kind_id: registry.kind_id, cluster_role: 'widgets-operator', scope: 'Cluster' },
    }),
  );
  unwrap(await api.helmRegistries.update({ id: registry.id, body: { fa_icon: 'store' } }));
  const created = unwrap(
    await api.helmRegistries.create({
      body: { provider: 'HelmRepo', url: 'https://charts.example.com/stable', repo_name: 'shop' },
    }),
  );
  unwrap(await api.registryChecks.run({ id: registry.id }));
  unwrap(await api.helmRegistries.delete({ id: created.id }));
  unwrap(await api.deploymentKinds.update({ id: registry.kind_id, body: { name: 'hello-web' } }));
  unwrap(await api.k8sClusters.update({ id: cluster.id, body: { ingress_domain: 'apps.example.com' } }));

  const body = {
    name: 'shop',
    kind_id: registry.kind_id,
    cluster_id: cluster.id,
    helm_chart_id: chart.id,
    config: sampleChart.inputs,
    values_override: null,
  };
  unwrap(await api.deploymentPlans.of_creation({ body }));
  const { id: deployment_id } = await createHello(api, sample, 'shop');
  await waitForRunning(api, deployment_id);
  const config = { ...sampleChart.inputs, replicas: 1 };
  unwrap(await api.deploymentPlans.of_update({ id: deployment_id, body: { config } }));
  unwrap(await api.deployments.update({ id: deployment_id, body: { config } }));
  await waitForRunning(api, deployment_id);
  const tasks = unwrap(
    await api.deploymentTasks.list({ query: { deployment_id, status: 'Done', sort: 'created_at' } }),
  ).items;
  unwrap(await api.deploymentTasks.rollback({ id: deployment_id, body: { task_id: tasks[0]?.id ?? '' } }));
  await waitForRunning(api, deployment_id);
  const operation = { Reinstall: { reason: 'to pick up a new certificate' } };
  const later = unwrap(
    await api.deploymentTasks.create({ body: { deployment_id, operation, execute_at: '2030-01-01T00:00:00.000Z' } }),
  );
  unwrap(await api.deploymentTasks.cancel({ id: later.id, body: { reason: 'no longer needed' } }));
  unwrap(await api.deploymentTasks.retry({ id: later.id }));
  unwrap(await api.deploymentTasks.why({ id: later.id }));
  unwrap(await api.deployments.why({ id: deployment_id }));
  const [type] = unwrap(await api.deploymentResourceTypes.list()).items;
  if (type) {
    const props = { title: 'Start' };
    const made = await api.deploymentResources.create({
      body: { type_id: type.id, deployment_id, name: 'start', props },
    });
    if (made.ok) {
      await api.deploymentResources.get({ id: made.value.id });
      await api.deploymentResources.update({ id: made.value.id, body: { props: { title: 'Home' } } });
      await api.deploymentResources.delete({ id: made.value.id });
    }
  }
  await api.deployments.k8s_events({ id: deployment_id });
  const challenge = '_'.repeat(43);
  const { state } = unwrap(await api.logins.start({ query: { challenge, hand_to: '127.0.0.1:51234' } }));
  await api.logins.describe({ query: { state } });
  await api.me.get_as_user();

  await readAll(api);
  unwrap(await api.deployments.delete({ id: deployment_id }));
  unwrap(await api.helmTagFormats.delete({ id: format.id }));
  unwrap(await api.clusterRoleGrants.delete({ id: grant.id }));
  unwrap(await api.secrets.delete({ id: secret.id }));
  unwrap(await api.deploymentPermissions.delete({ id: role.id }));
  unwrap(await api.envUserPermissions.delete({ id: member.id }));
  for (const { id, name } of unwrap(await api.userTokens.list({ query: { user_id } })).items) {
    if (name !== null) unwrap(await api.userTokens.delete({ id }));
  }
  for (const { id } of unwrap(await api.botTokens.list({ query: { bot_id: bot.id } })).items) {
    unwrap(await api.botTokens.delete({ id }));
  }
  unwrap(await api.bots.delete({ id: bot.id }));
  unwrap(await api.envs.delete({ id: env.id }));
}

/** Each list with one of its rows, and each read without an id. */
async function readAll(api: Client): Promise<void> {
  type Read = (request?: object) => Promise<Answer<unknown>>;
  for (const calls of Object.values(api) as unknown as Record<string, Read>[]) {
    const page = await calls['list']?.({ query: { per_page: 1 } });
    const items: unknown = page?.ok && isJsonObject(page.value) ? page.value['items'] : undefined;
    const first = Array.isArray(items) ? items[0] : undefined;
    if (calls['get'] && isJsonObject(first)) await calls['get']({ id: first['id'] });
    else if (!calls['list'] || !page?.ok) {
      await calls['list']?.();
      if (!calls['list']) await calls['get']?.();
    }
  }
}

await withOwnPlatform({ name: 'bench', say }, recordExamples);

import { describe, expect, test } from 'vitest';
import {
  answersRow,
  changesRows,
  rowOf,
  type Operation,
  type OperationSpec,
  takesIfMatch,
} from '../definition/contract.ts';
import { isCreation } from '../definition/idempotency-key.ts';
import { resources } from './index.ts';
import { whoMay } from '../definition/who-may.ts';

const operations: Operation[] = resources.flatMap((resource) => Object.values<Operation>(resource.operations));
const fullName = ({ resource, name }: Operation): string => `${resource}.${name}`;
const namesWhere = (holds: (operation: Operation) => boolean): string[] => operations.filter(holds).map(fullName);

test('the access table lists every operation', () => {
  const table = operations
    .map((operation) => `${fullName(operation)} | ${operation.http ?? internal(operation)} | ${whoMay(operation)}`)
    .join('\n');

  expect(`\n${table}\n`).toMatchInlineSnapshot(`
    "
    audit_events.list | GET /audit-events | a site admin, or an admin of an env
    audit_events.export | GET /audit-events/export | a site admin, or an admin of an env
    audit_events.get | GET /audit-events/:id | a site admin, or an admin of an env
    audit_of_cluster_sync.read | from auth | services of the platform
    audit_of_registry_scan.read | from auth | services of the platform
    audit_of_tasks.read | from auth | services of the platform
    bot_tokens.list | GET /bot-tokens | a site admin
    bot_tokens.create | POST /bot-tokens | a site admin
    bot_tokens.get | GET /bot-tokens/:id | a site admin
    bot_tokens.delete | DELETE /bot-tokens/:id | a site admin
    bots.list | GET /bots | anyone signed in
    bots.create | POST /bots | a site admin
    bots.get | GET /bots/:id | anyone signed in
    bots.update | PUT /bots/:id | a site admin
    bots.delete | DELETE /bots/:id | a site admin
    catalogue_state.now | from cluster-sync, tasks | services of the platform
    chart_archives.ensure | from tasks | services of the platform
    chart_archives.read | from runner | services of the platform
    chart_versions.list | GET /chart-versions | anyone signed in
    cluster_access.issue | from runner | services of the platform
    cluster_health.repeat | from tasks | services of the platform
    cluster_role_grants.list | GET /cluster-role-grants | anyone signed in
    cluster_role_grants.create | POST /cluster-role-grants | a site admin
    cluster_role_grants.get | GET /cluster-role-grants/:id | anyone signed in
    cluster_role_grants.delete | DELETE /cluster-role-grants/:id | a site admin
    cluster_state.now | from tasks | services of the platform
    cluster_usage.of_env | from auth | services of the platform
    deployment_credentials.write | from runner | services of the platform
    deployment_credentials.write_upstream | from runner | services of the platform
    deployment_credentials.remove_upstream | from runner | services of the platform
    deployment_health.report | from cluster-sync | services of the platform
    deployment_kinds.list | GET /deployment-kinds | anyone signed in
    deployment_kinds.get | GET /deployment-kinds/:id | anyone signed in
    deployment_kinds.update | PUT /deployment-kinds/:id | a site admin
    deployment_namespaces.enter | from runner | services of the platform
    deployment_namespaces.remove | from runner | services of the platform
    deployment_permissions.list | GET /deployment-permissions | anyone signed in
    deployment_permissions.create | POST /deployment-permissions | an admin of the env
    deployment_permissions.get | GET /deployment-permissions/:id | anyone signed in
    deployment_permissions.delete | DELETE /deployment-permissions/:id | an admin of the env
    deployment_place.now | from cluster-sync | services of the platform
    deployment_place.report_lost | from cluster-sync | services of the platform
    shown_texts.redact | from cluster-sync | services of the platform
    deployment_plans.of_update | POST /deployments/:id/plan | a maintainer of the deployment; an owner of the deployment for a change of name, cluster_id, enabled or values_override
    deployment_plans.of_creation | POST /deployments/plan | an owner of the deployment
    deployment_resource_types.list | GET /deployment-resource-types | anyone signed in
    deployment_resource_types.get | GET /deployment-resource-types/:id | anyone signed in
    deployment_resources.list | GET /deployment-resources | anyone signed in
    deployment_resources.create | POST /deployment-resources | the role that the type of the resource names for this operation, or the deployment that manages it
    deployment_resources.get | GET /deployment-resources/:id | anyone signed in
    deployment_resources.update | PUT /deployment-resources/:id | the role that the type of the resource names for this operation, or the deployment that manages it
    deployment_resources.delete | DELETE /deployment-resources/:id | the role that the type of the resource names for this operation, or the deployment that manages it
    deployment_state.now | from auth | services of the platform
    deployment_tasks.list | GET /deployment-tasks | anyone signed in
    deployment_tasks.create | POST /deployment-tasks | a maintainer of the deployment; an owner of the deployment for Install, Uninstall, a changed values_override, and actions that require an owner
    deployment_tasks.get | GET /deployment-tasks/:id | anyone signed in
    deployment_tasks.why | GET /deployment-tasks/:id/why | anyone signed in
    deployment_tasks.cancel | DELETE /deployment-tasks/:id | the creator of the task, or an owner of its deployment; an owner of the deployment for a move that goes back into another env
    deployment_tasks.retry | POST /deployment-tasks/:id/retry | the creator of the task, or an owner of its deployment; a maintainer of the deployment for any task of a deployment that is left; an owner of the deployment for a deletion, actions that require an owner, and a change of enabled or values_override that was never made; an owner of the deployment for a removal without its hooks
    deployment_tasks.rollback | POST /deployments/:id/rollback | a maintainer of the deployment; an owner of the deployment for another values_override than the present one
    deployment_tasks.log | GET /deployment-tasks/:id/log | anyone signed in
    deployment_tasks.log_lines | from api-gateway | anyone signed in
    deployment_tokens.issue | from cluster-sync | services of the platform
    deployment_tokens.issue_for_call | from tasks | services of the platform
    deployment_usage.of_cluster | from cluster-sync | services of the platform
    deployment_usage.of_env | from auth | services of the platform
    deployments.list | GET /deployments | anyone signed in
    deployments.create | POST /deployments | an owner of the deployment
    deployments.get | GET /deployments/:id | anyone signed in
    deployments.why | GET /deployments/:id/why | anyone signed in
    deployments.k8s_events | GET /deployments/:id/k8s-events | anyone signed in
    deployments.update | PUT /deployments/:id | a maintainer of the deployment; an owner of the deployment for a change of name, cluster_id, enabled or values_override
    deployments.delete | DELETE /deployments/:id | an owner of the deployment
    dry_runs.claim | from runner | services of the platform
    dry_runs.report | from runner | services of the platform
    env_impact.of | from auth | services of the platform
    env_impact.take | from auth | services of the platform
    env_user_permissions.list | GET /env-user-permissions | anyone signed in
    env_user_permissions.create | POST /env-user-permissions | an admin of the env
    env_user_permissions.get | GET /env-user-permissions/:id | anyone signed in
    env_user_permissions.update | PUT /env-user-permissions/:id | an admin of the env
    env_user_permissions.delete | DELETE /env-user-permissions/:id | an admin of the env
    envs.list | GET /envs | anyone signed in
    envs.create | POST /envs | a site admin
    envs.get | GET /envs/:id | anyone signed in
    envs.impact | GET /envs/:id/impact | anyone signed in
    envs.update | PUT /envs/:id | an admin of the env; a site admin for a change of name or auto_add_new_users
    envs.delete | DELETE /envs/:id | a site admin
    events.stream | GET /events | anyone signed in
    helm_charts.list | GET /helm-charts | anyone signed in
    helm_charts.get | GET /helm-charts/:id | anyone signed in
    helm_registries.list | GET /helm-registries | anyone signed in
    helm_registries.get | GET /helm-registries/:id | anyone signed in
    helm_registries.create | POST /helm-registries | a site admin
    helm_registries.delete | DELETE /helm-registries/:id | a site admin
    helm_registries.update | PUT /helm-registries/:id | a site admin
    registry_checks.run | POST /helm-registries/:id/check | a site admin
    helm_tag_formats.list | GET /helm-tag-formats | anyone signed in
    helm_tag_formats.create | POST /helm-tag-formats | a site admin
    helm_tag_formats.get | GET /helm-tag-formats/:id | anyone signed in
    helm_tag_formats.delete | DELETE /helm-tag-formats/:id | a site admin
    identities.authenticate | from api-gateway | services of the platform
    identities.current | from tasks | services of the platform
    identity_caches.forget | from auth | services of the platform
    identity_leases.renew | from api-gateway | services of the platform
    identity_leases.release | from api-gateway | services of the platform
    k8s_clusters.list | GET /k8s-clusters | anyone signed in
    k8s_clusters.get | GET /k8s-clusters/:id | anyone signed in
    k8s_clusters.update | PUT /k8s-clusters/:id | a site admin
    k8s_clusters.delete | DELETE /k8s-clusters/:id | a site admin
    k8s_events.list | from tasks | services of the platform
    k8s_resource_state.now | from tasks | services of the platform
    k8s_resources.list | GET /k8s-resources | anyone signed in
    k8s_resources.get | GET /k8s-resources/:id | anyone signed in
    k8s_resources.log | GET /k8s-resources/:id/log | a maintainer of the deployment
    k8s_resources.log_part | from api-gateway | a maintainer of the deployment
    logins.start | GET /auth/idp | anyone, without a credential
    logins.describe | GET /auth/idp/attempt | anyone, without a credential
    logins.finish | POST /auth/idp/callback | anyone, without a credential
    me.get | GET /auth/me | anyone signed in
    me.get_as_user | GET /users/me | anyone signed in
    resource_calls.claim | from runner | services of the platform
    resource_calls.report | from runner | services of the platform
    runner_tasks.claim | from runner | services of the platform
    runner_tasks.heartbeat | from runner | services of the platform
    runner_tasks.append_log | from runner | services of the platform
    runner_tasks.finish | from runner | services of the platform
    secrets.list | GET /secrets | anyone signed in
    secrets.create | POST /secrets | an admin of the env
    secrets.get | GET /secrets/:id | anyone signed in
    secrets.impact | GET /secrets/:id/impact | anyone signed in
    secrets.update | PUT /secrets/:id | an admin of the env
    secrets.delete | DELETE /secrets/:id | an admin of the env
    server.get | GET /server | anyone, without a credential
    signing_keys.list | GET /.well-known/jwks.json | anyone, without a credential
    status_polls.claim | from runner | services of the platform
    status_polls.report | from runner | services of the platform
    task_claims.get | from cluster-sync, registry-scan | services of the platform
    user_tokens.list | GET /user-tokens | anyone signed in
    user_tokens.create | POST /user-tokens | the user the token belongs to, or a site admin
    user_tokens.get | GET /user-tokens/:id | anyone signed in
    user_tokens.delete | DELETE /user-tokens/:id | the user the token belongs to, or a site admin
    users.list | GET /users | anyone signed in
    users.get | GET /users/:id | anyone signed in
    users.update | PUT /users/:id | a site admin
    "
  `);
});

const internal = ({ callers = [] }: OperationSpec): string => `from ${callers.join(', ')}`;

test('every POST with a credential takes an Idempotency-Key, unless it changes nothing', () => {
  const posts = operations.filter(({ http }) => http?.startsWith('POST'));

  expect(posts.filter((operation) => !isCreation(operation)).map(fullName)).toEqual([
    'deployment_plans.of_update',
    'deployment_plans.of_creation',
    'registry_checks.run',
    'logins.finish',
  ]);
});

test('every operation that changes something, except a sign-in, goes through createRow or a sibling and so leaves an audit event', () => {
  const others = resources.flatMap((resource) =>
    Object.values<Operation>(resource.operations).filter(
      (one) => one.http !== undefined && !one.http.startsWith('GET') && !changesRows(one, resource),
    ),
  );

  expect(others.map(fullName)).toEqual([
    // Change nothing.
    'deployment_plans.of_update',
    'deployment_plans.of_creation',
    'registry_checks.run',
    // It records `log in` and `refuse login` itself.
    'logins.finish',
  ]);
});

test('the paths match the specification', () => {
  // Written by hand from section 2 of the decisions, plus login, identity, version and keys.
  const crud = (path: string, letters: string) =>
    [
      ['l', `GET ${path}`],
      ['c', `POST ${path}`],
      ['g', `GET ${path}/:id`],
      ['u', `PUT ${path}/:id`],
      ['d', `DELETE ${path}/:id`],
    ].flatMap(([letter = '', route = '']) => (letters.includes(letter) ? [route] : []));
  const expected = [
    ...crud('/audit-events', 'lg'),
    'GET /audit-events/export',
    ...crud('/cluster-role-grants', 'lcgd'),
    ...crud('/deployment-kinds', 'lgu'),
    ...crud('/deployment-permissions', 'lcgd'),
    ...crud('/deployment-resource-types', 'lg'),
    ...crud('/deployment-resources', 'lcgud'),
    ...crud('/deployment-tasks', 'lcgd'),
    'POST /deployment-tasks/:id/retry',
    'GET /deployment-tasks/:id/why',
    'GET /deployments/:id/why',
    'GET /deployment-tasks/:id/log',
    'GET /deployments/:id/k8s-events',
    'GET /k8s-resources/:id/log',
    ...crud('/deployments', 'lcgud'),
    'POST /deployments/:id/rollback',
    'POST /deployments/:id/plan',
    'POST /deployments/plan',
    ...crud('/env-user-permissions', 'lcgud'),
    ...crud('/envs', 'lcgud'),
    'GET /envs/:id/impact',
    ...crud('/helm-charts', 'lg'),
    ...crud('/helm-registries', 'lcgud'),
    'POST /helm-registries/:id/check',
    ...crud('/helm-tag-formats', 'lcgd'),
    ...crud('/k8s-clusters', 'lgud'),
    ...crud('/k8s-resources', 'lg'),
    ...crud('/secrets', 'lcgud'),
    'GET /secrets/:id/impact',
    ...crud('/user-tokens', 'lcgd'),
    ...crud('/users', 'lgu'),
    'GET /users/me',
    ...crud('/bots', 'lcgud'),
    ...crud('/chart-versions', 'l'),
    ...crud('/bot-tokens', 'lcgd'),
    'GET /auth/me',
    'GET /auth/idp',
    'GET /auth/idp/attempt',
    'POST /auth/idp/callback',
    'GET /events',
    'GET /server',
    'GET /.well-known/jwks.json',
  ];

  expect(operations.flatMap(({ http }) => http ?? []).sort()).toEqual(expected.sort());
});

describe('every operation', () => {
  test('has a route or callers', () => {
    const routes = operations.flatMap(({ http }) => (http ? [http.replace(/:\w+/g, ':')] : []));

    expect(new Set(routes).size).toBe(routes.length);
    expect(namesWhere(({ http, callers }) => !http && !callers?.length)).toEqual([]);
  });

  test('is documented by a sentence without a full stop', () => {
    expect(namesWhere(({ summary }) => !/^[A-Z].{5,}[^.]$/.test(summary))).toEqual([]);
  });

  test('has no route if only services may call it', () => {
    expect(namesWhere(({ http, allow }) => http !== undefined && allow.on === 'service')).toEqual([]);
  });

  test('is a read or internal if it is idempotent', () => {
    const again = namesWhere(({ idempotent, http }) => idempotent === true && http !== undefined);
    const reads = namesWhere(({ http }) => http?.startsWith('GET') ?? false);

    expect(again).toEqual(reads.filter((name) => name !== 'logins.start'));
  });

  test('is for site admins if it changes a row by id without a rule on the row', () => {
    const open = namesWhere(
      ({ http, allow }) => /^(?:PUT|DELETE) /.test(http ?? '') && allow.on !== 'row' && allow.says !== 'a site admin',
    );

    expect(open).toEqual([]);
  });
});

describe('every resource', () => {
  test('has a unique name', () => {
    const names = resources.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });

  test('shares no path with a resource of another service', () => {
    const owners = new Map<string, Set<string>>();
    for (const { http, resource, owner } of operations) {
      const path = http?.split('/')[1] ?? resource;
      owners.set(path, (owners.get(path) ?? new Set()).add(owner));
    }

    expect([...owners].filter(([, services]) => services.size > 1)).toEqual([]);
  });

  test('publishes its rows if it has live events', () => {
    const withState = resources.filter(({ state }) => state).map(({ name }) => name);

    // Specification, "Events".
    expect(withState.sort()).toEqual([
      'bot_tokens',
      'bots',
      'cluster_role_grants',
      'deployment_kinds',
      'deployment_permissions',
      'deployment_resource_types',
      'deployment_resources',
      'deployment_tasks',
      'deployments',
      'env_user_permissions',
      'envs',
      'helm_charts',
      'helm_registries',
      'helm_tag_formats',
      'k8s_clusters',
      'k8s_resources',
      'secrets',
      'user_tokens',
      'users',
    ]);
  });

  test('has an ETag over fields of its row, and over those that a change can set if there are changes', () => {
    const wrong = resources.flatMap(({ name, etag = [], operations: own, ...spec }) => {
      const strangers = etag.filter((field) => !(field in (rowOf(spec)?.shape ?? {})));
      // Fields that never change; only a tag over the whole row covers them.
      const coversAll = etag.includes('id') || etag.includes('created_at');
      return [...strangers.map((field) => `${name}.${field}`), ...('update' in own && coversAll ? [name] : [])];
    });

    expect(wrong).toEqual([]);
  });
});

test('every read by id answers with an ETag, and every change by id takes If-Match', () => {
  const notTagged = resources.flatMap((resource) =>
    Object.values<Operation>(resource.operations)
      .filter(({ http, produces }) => /^(?:GET|PUT|DELETE) .*\/:id$/.test(http ?? '') && produces === undefined)
      .filter((one) => !(one.http?.startsWith('GET') ? answersRow(one, resource) : takesIfMatch(one, resource)))
      .map(fullName),
  );

  expect(notTagged).toEqual([]);
});

test('the other resources that a change names publish their rows', () => {
  const published = resources.filter(({ state }) => state).map(({ name }) => name);
  const named = operations.flatMap(({ changesAlso = [], mayChange = [] }) => [...changesAlso, ...mayChange]);

  expect(named.filter((name) => !published.includes(name))).toEqual([]);
});

test('the services with a projection of each resource are listed', () => {
  const consumers = resources.flatMap(({ name, state }) =>
    state?.consumers.length ? [`${name} → ${state.consumers.join(', ')}`] : [],
  );

  expect(consumers).toMatchInlineSnapshot(`
    [
      "deployment_kinds → auth, tasks",
      "deployments → cluster-sync, registry-scan",
      "envs → cluster-sync, tasks",
      "helm_charts → tasks",
      "helm_registries → tasks",
      "k8s_clusters → tasks",
    ]
  `);
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../definition/contract.ts';
import { resources } from './index.ts';

const ofPaging = ['page', 'per_page', 'page_size', 'sort', 'after'];

/** The values of an enumeration or of a list of them. */
function valuesOf(schema: unknown): string {
  if (schema instanceof z.ZodArray) return valuesOf(schema.element);
  if (schema instanceof z.ZodOptional) return valuesOf(schema.unwrap());
  return schema instanceof z.ZodEnum ? `(${schema.options.join('|')})` : '';
}

test('each row has the fields and values of the specification and no others, and only what has a question mark may be null', () => {
  const rows = resources.flatMap(({ name, state }) => {
    if (!(state?.row instanceof z.ZodObject)) return [];
    const fields = Object.entries(state.row.shape).map(
      ([field, schema]) => `${field}${valuesOf(schema)}${z.safeParse(schema, null).success ? '?' : ''}`,
    );
    return [`${name}: ${fields.join(' ')}`];
  });

  expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    bot_tokens: id bot_id created_at created_by_user_id name? expires_at? last_used_at?
    bots: id created_at display_name is_active
    cluster_role_grants: id created_at env_id kind_id cluster_role scope(Namespace|Cluster)
    deployment_kinds: id created_at name
    deployment_permissions: id created_at env_id user_id kind_id role(Owner|Maintainer)
    deployment_resource_types: id created_at env_id? deployment_kind_id key spec
    deployment_resources: id created_at type_id deployment_id? name exists props? sync_status(Creating|Updating|Deleting|Ready|Error) sync_reason? revision
    deployment_tasks: id created_at execute_at first_attempted_at? started_at? finished_at? cluster_id deployment_id acting_user_id? acting_deployment_id? canceled_by_user_id? canceled_by_deployment_id? operation status(Pending|Started|Failed|Canceled|Done) reason? attempts
    deployments: id created_at name kind_id env_id cluster_id namespace enabled status(Unknown|Installing|Renaming|Upgrading|Running|Error|Uninstalling|Uninstalled|Deleting) description_md? reason? revision_id? reported_status? health? helm_chart_id config values_override?
    env_user_permissions: id created_at env_id user_id role(Admin|User)
    envs: id created_at name node_selector? tolerations? auto_add_new_users
    helm_charts: id created_at helm_registry_id image_digest image_tag available values_ui? actions_schema? features? resource_types? error? tag_format_id? parsed_version? parsed_revision? parsed_branch? parsed_commit?
    helm_registries: id created_at domain_name repo_name kind_id available fa_icon provider(Ecr|Oci|HelmRepo) last_scan_at? source(configured|created) last_error? credentials_set_at? push_token_set_at?
    helm_tag_formats: id created_at pattern
    k8s_clusters: id env_id? provider_id created_at last_seen_at name region_name is_ok not_ok_reason? ignore ingress_domain? ingress_class? ingress_tls_secret_name? metrics_url? metrics_datasource_name?
    k8s_resources: id last_updated_at cluster_id deployment_id kind api_version name status_color(Success|Danger|Warning|Primary|Secondary) metadata?
    secrets: id created_at updated_at env_id collection name
    user_tokens: id user_id created_at name? expires_at? last_used_at?
    users: id created_at display_name email? is_admin is_active
    "
  `);
});

test('each list has the filters of the specification and no others', () => {
  const filters = resources.flatMap(({ name, operations }) => {
    const { list }: Record<string, Operation> = operations;
    if (!list?.http || !list.query) return [];
    return [
      `${name}: ${Object.keys(list.query.shape)
        .filter((parameter) => !ofPaging.includes(parameter))
        .join(' ')}`,
    ];
  });

  expect(`\n${filters.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    audit_events: before actor_id token_id resource object_id env_id operation result from to
    bot_tokens: bot_id created_by_user_id
    bots: display_name
    chart_versions: ids helm_registry_id kind_id parsed_branch available
    cluster_role_grants: env_id kind_id deployment_id
    deployment_kinds: name
    deployment_permissions: env_id user_id
    deployment_resource_types: env_id deployment_kind_id key
    deployment_resources: type_id env_id deployment_id
    deployment_tasks: ids cluster_id deployment_id env_id acting_user_id status active_only show_future created_from
    deployments: ids name kind_id cluster_id env_id helm_chart_id uses enabled status health needs_attention
    env_user_permissions: env_id user_id
    envs: name auto_add_new_users
    helm_charts: helm_registry_id kind_id image_tag parsed_version parsed_branch available in_use
    helm_registries: repo_name kind_id
    helm_tag_formats: pattern
    k8s_clusters: env_id name
    k8s_resources: cluster_id deployment_id kind name
    secrets: env_id collection name
    user_tokens: user_id
    users: display_name email is_active
    "
  `);
});

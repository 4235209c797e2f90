create index deployments_by_name on deployments (name, id);
create index deployments_by_status on deployments (status, id);
create index deployments_by_enabled on deployments (enabled, id);
create index deployments_with_status on deployments (status, created_at desc, id desc);
create index deployments_on_cluster on deployments (cluster_id, created_at desc, id desc);
drop index deployments_of_kind;
create index deployments_of_kind on deployments (kind_id, created_at desc, id desc);
drop index deployments_of_chart;
create index deployments_of_chart on deployments (helm_chart_id, created_at desc, id desc);

create index secrets_by_updated_at on secrets (updated_at, id);
create index secrets_by_collection on secrets (collection, id);
create index secrets_by_name on secrets (name, id);
create index secrets_in_collection on secrets (lower(collection), created_at desc, id desc);
create index secrets_named on secrets (lower(name), created_at desc, id desc);

create index deployment_resource_types_by_key on deployment_resource_types (key, id);
create index deployment_resource_types_with_key on deployment_resource_types (key, created_at desc, id desc);
create index deployment_resource_types_of_kind on deployment_resource_types (deployment_kind_id, created_at desc, id desc);

create index deployment_resources_by_name on deployment_resources (name, id) where is_live;
create index deployment_resources_by_sync_status on deployment_resources (sync_status, id) where is_live;
create index deployment_resources_of_type on deployment_resources (type_id, created_at desc, id desc) where is_live;
drop index deployment_resources_of_deployment;
create index deployment_resources_of_deployment on deployment_resources (deployment_id, created_at desc, id desc)
  where is_live;

create index deployment_tasks_by_created_at on deployment_tasks (created_at, id);
create index deployment_tasks_by_started_at on deployment_tasks (started_at, id);
create index deployment_tasks_by_finished_at on deployment_tasks (finished_at, id);
create index deployment_tasks_by_status on deployment_tasks (status, id);
create index deployment_tasks_with_status on deployment_tasks (status, execute_at desc, id desc);

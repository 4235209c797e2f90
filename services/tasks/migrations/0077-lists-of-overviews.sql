-- Deployments that need attention: few, unless the clusters of many are silent.
create index deployments_with_attention on deployments (created_at desc, id desc)
  where status = 'Error' or (enabled and health_state in ('Degraded', 'Unknown'));
create index deployments_of_env_with_attention on deployments (env_id, created_at desc, id desc)
  where status = 'Error' or (enabled and health_state in ('Degraded', 'Unknown'));
-- For orders in which the others come first.
create index deployments_with_attention_by_status on deployments (status, id)
  where status = 'Error' or (enabled and health_state in ('Degraded', 'Unknown'));
create index deployments_with_attention_by_health on deployments (health_state, id)
  where status = 'Error' or (enabled and health_state in ('Degraded', 'Unknown'));

create index deployment_tasks_of_user on deployment_tasks (acting_user_id, execute_at desc, id desc)
  where acting_user_id is not null;

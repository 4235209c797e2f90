-- A delta that is too large to be shown is not kept; it was not bounded before.
update deployment_tasks set operation = jsonb_set(operation, '{Upgrade,config_delta}', 'null')
where operation ? 'Upgrade' and octet_length(operation::text) > 2200000;

-- What queues and lists ask of many tasks at once, without reading inputs that may be megabytes each.
alter table deployment_tasks
  add column variant text generated always as (
    case
      when operation ? 'Install' then 'Install'
      when operation ? 'Upgrade' then 'Upgrade'
      when operation ? 'Reinstall' then 'Reinstall'
      when operation ? 'Recreate' then 'Recreate'
      when operation ? 'Uninstall' then 'Uninstall'
      when operation ? 'InvokeAction' then 'InvokeAction'
      when operation ? 'RestartK8sResource' then 'RestartK8sResource'
    end
  ) stored,
  add column deploys boolean generated always as (coalesce(run ->> 'action' = 'deploy', false)) stored,
  -- As text, which is never shorter than the same JSON in an answer.
  add column operation_bytes integer generated always as (octet_length(operation::text)) stored,
  add column snapshot_bytes integer generated always as (
    coalesce(octet_length(run::text), 0) + coalesce(octet_length(change::text), 0)
  ) stored;

alter table deployments
  add column bytes integer generated always as (
    octet_length(config::text) + coalesce(octet_length(values_override::text), 0)
    + octet_length(regexp_replace(coalesce(description_md, ''), '[[:cntrl:]"\\]', 'escape', 'g'))
  ) stored;

-- Followers hear of both what is small; what they were told before stays as it is until the next change.
update outbox set row = jsonb_build_object('id', row -> 'id', 'status', row -> 'status')
where resource = 'deployment_tasks';
update outbox set row = row - 'config' - 'values_override' - 'description_md'
where resource = 'deployments';

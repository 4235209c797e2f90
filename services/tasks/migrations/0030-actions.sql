-- The actions of a chart. With lower versions the copy differs from its owner's table, so that all charts come again.
alter table helm_charts_seen add column actions_schema jsonb;
update helm_charts_seen set version = version - 1;

-- Whoever requested what starts later may have lost the right to it by then.
alter table deployment_tasks add column checks_requester boolean not null generated always as (
  change is not null
  or ((operation ? 'InvokeAction' or operation ? 'RestartK8sResource') and execute_at > created_at)
) stored;

drop index deployment_tasks_changes_due;
create index deployment_tasks_checks_due on deployment_tasks (due_at) where status = 'Pending' and checks_requester;

-- A claim of calls looks at each manager and type with waiting resources once, however many of them wait.
create index deployment_resources_waiting on deployment_resources (deployment_id, type_id, due_at, id)
  where is_live and sync_status in ('Creating', 'Updating', 'Deleting') and deployment_id is not null;
drop index deployment_resources_due;

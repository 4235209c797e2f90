-- What a task does to the release is written with it, and the name of its operation is its key: queries need no list of
-- operations, and a new operation needs no migration.
alter table deployment_tasks
  alter column variant drop expression,
  add column effect text;

create function effect_of_operation(name text) returns text language sql immutable as $$
  select case
    when name in ('Install', 'Upgrade') then 'installs'
    when name = 'Reinstall' then 'repeats'
    when name = 'Recreate' then 'moves'
    when name = 'Uninstall' then 'removes'
    else 'keeps'
  end
$$;

-- The version before does not know the new column: it still adds tasks without it.
create function name_deployment_task() returns trigger language plpgsql set search_path from current as $$
begin
  new.variant := (select jsonb_object_keys(new.operation) limit 1);
  new.effect := coalesce(new.effect, effect_of_operation(new.variant));
  return new;
end $$;
create trigger name_added before insert on deployment_tasks for each row execute function name_deployment_task();

update deployment_tasks set effect = effect_of_operation(variant);
alter table deployment_tasks
  alter column effect set not null,
  add constraint deployment_tasks_effect_known check (effect in ('installs', 'repeats', 'moves', 'removes', 'keeps'));

-- Whoever requested what starts later may have lost the right to it by then. The same tasks as before, without their names.
alter table deployment_tasks drop column checks_requester;
alter table deployment_tasks add column checks_requester boolean not null generated always as (
  change is not null or (effect = 'keeps' and execute_at > created_at)
) stored;
create index deployment_tasks_checks_due on deployment_tasks (due_at) where status = 'Pending' and checks_requester;

drop index deployment_tasks_revisions;
create index deployment_tasks_revisions on deployment_tasks (deployment_id, finished_at desc, id desc)
  where status = 'Done' and effect = 'installs';

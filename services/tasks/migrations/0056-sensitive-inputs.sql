-- Sensitive inputs of actions: the operation and the run of a task show a mask in their place.
alter table deployment_tasks
  -- Inputs behind a mask. Null where nobody has looked yet: in rows of the version before.
  add column hidden_inputs text[];
create index deployment_tasks_unmasked on deployment_tasks (id) where hidden_inputs is null and effect = 'keeps';

create table deployment_task_inputs (
  task_id uuid primary key references deployment_tasks on delete cascade,
  -- The key from the configuration under which the data key of this row is wrapped.
  key_id text not null,
  wrapped_key bytea not null,
  sealed_inputs bytea not null
);

-- Ciphertext does not compress.
alter table deployment_task_inputs alter column sealed_inputs set storage external;
create index deployment_task_inputs_of_key on deployment_task_inputs (key_id, task_id);

-- A trigger, so that no way to end a task forgets it, in the version before either.
create function drop_task_inputs() returns trigger language plpgsql set search_path from current as $$
begin
  delete from deployment_task_inputs where task_id = new.id;
  return null;
end $$;
create trigger inputs_dropped after update of finished_at on deployment_tasks
  for each row when (old.finished_at is null and new.finished_at is not null and new.effect = 'keeps')
  execute function drop_task_inputs();

-- How many tasks there are, so that no page of them counts all. A change adds a row and changes none, so nobody waits for anybody;
-- the service adds the rows up.
create table deployment_task_counts (
  deployment_id uuid not null,
  env_id uuid not null,
  cluster_id uuid not null,
  status text not null,
  tasks bigint not null
);

create function count_deployment_tasks() returns trigger language plpgsql set search_path from current as $$
begin
  case tg_op
    when 'INSERT' then
      insert into deployment_task_counts
      select deployment_id, env_id, cluster_id, status, count(*) from added group by 1, 2, 3, 4;
    when 'DELETE' then
      insert into deployment_task_counts
      select deployment_id, env_id, cluster_id, status, -count(*) from removed group by 1, 2, 3, 4;
    when 'UPDATE' then
      insert into deployment_task_counts
      values
        (old.deployment_id, old.env_id, old.cluster_id, old.status, -1),
        (new.deployment_id, new.env_id, new.cluster_id, new.status, 1);
    when 'TRUNCATE' then
      delete from deployment_task_counts;
  end case;
  return null;
end $$;

create trigger count_added after insert on deployment_tasks
  referencing new table as added for each statement execute function count_deployment_tasks();
create trigger count_removed after delete on deployment_tasks
  referencing old table as removed for each statement execute function count_deployment_tasks();
create trigger count_truncated after truncate on deployment_tasks
  for each statement execute function count_deployment_tasks();
-- Not for each statement: most updates change none of these, heartbeats for example.
create trigger count_changed after update of deployment_id, env_id, cluster_id, status on deployment_tasks
  for each row
  when ((old.deployment_id, old.env_id, old.cluster_id, old.status)
    is distinct from (new.deployment_id, new.env_id, new.cluster_id, new.status))
  execute function count_deployment_tasks();

insert into deployment_task_counts
select deployment_id, env_id, cluster_id, status, count(*) from deployment_tasks group by 1, 2, 3, 4;

-- A site admin sees the tasks of all envs: their number is a sum over envs, clusters and statuses, not over all deployments.
create table env_task_counts (
  env_id uuid not null,
  cluster_id uuid not null,
  status text not null,
  tasks bigint not null
);

-- No task changes between the sum and the new function.
lock table deployment_tasks in share row exclusive mode;
insert into env_task_counts
select env_id, cluster_id, status, sum(tasks) from deployment_task_counts group by 1, 2, 3 having sum(tasks) <> 0;

create or replace function count_deployment_tasks() returns trigger language plpgsql set search_path from current as $$
begin
  case tg_op
    when 'INSERT' then
      insert into deployment_task_counts
      select deployment_id, env_id, cluster_id, status, count(*) from added group by 1, 2, 3, 4;
      insert into env_task_counts
      select env_id, cluster_id, status, count(*) from added group by 1, 2, 3;
    when 'DELETE' then
      insert into deployment_task_counts
      select deployment_id, env_id, cluster_id, status, -count(*) from removed group by 1, 2, 3, 4;
      insert into env_task_counts
      select env_id, cluster_id, status, -count(*) from removed group by 1, 2, 3;
    when 'UPDATE' then
      insert into deployment_task_counts
      values
        (old.deployment_id, old.env_id, old.cluster_id, old.status, -1),
        (new.deployment_id, new.env_id, new.cluster_id, new.status, 1);
      insert into env_task_counts
      values
        (old.env_id, old.cluster_id, old.status, -1),
        (new.env_id, new.cluster_id, new.status, 1);
    when 'TRUNCATE' then
      delete from deployment_task_counts;
      delete from env_task_counts;
  end case;
  return null;
end $$;

-- For the tasks of one deployment, and of the envs that a user may see.
create index on deployment_task_counts (deployment_id);
create index on deployment_task_counts (env_id);

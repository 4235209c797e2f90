-- How many deployments an env has, kept as the number of tasks is: no page of them counts all.
create table deployment_counts (
  env_id uuid not null,
  deployments bigint not null
);

create function count_deployments() returns trigger language plpgsql set search_path from current as $$
begin
  case tg_op
    when 'INSERT' then
      insert into deployment_counts select env_id, count(*) from added group by 1;
    when 'DELETE' then
      insert into deployment_counts select env_id, -count(*) from removed group by 1;
    when 'UPDATE' then
      insert into deployment_counts values (old.env_id, -1), (new.env_id, 1);
    when 'TRUNCATE' then
      delete from deployment_counts;
  end case;
  return null;
end $$;

create trigger count_added after insert on deployments
  referencing new table as added for each statement execute function count_deployments();
create trigger count_removed after delete on deployments
  referencing old table as removed for each statement execute function count_deployments();
create trigger count_truncated after truncate on deployments
  for each statement execute function count_deployments();
create trigger count_moved after update of env_id on deployments
  for each row when (old.env_id is distinct from new.env_id)
  execute function count_deployments();

insert into deployment_counts select env_id, count(*) from deployments group by 1;

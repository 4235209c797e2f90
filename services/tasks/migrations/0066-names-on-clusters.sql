-- Namespaces and hostnames that a deployment holds on a cluster: the wanted ones, and those of what may be installed. Kept by
-- triggers, so that the version before keeps them too.
create table names_on_clusters (
  cluster_id uuid not null,
  what text not null,
  name text not null,
  deployment_id uuid not null references deployments (id) on delete cascade,

  constraint names_on_clusters_pkey primary key (cluster_id, what, name),
  constraint names_on_clusters_what_known check (what in ('namespace', 'hostname'))
);

create index names_on_clusters_of_deployment on names_on_clusters (deployment_id);

insert into names_on_clusters
select cluster_id, 'namespace', namespace, id from deployments
union all
select cluster_id, 'hostname', ingress_name, id from deployments where ingress_name is not null;

insert into names_on_clusters
select installed_cluster_id, 'namespace', installed_namespace, id from deployments where installed_cluster_id is not null
on conflict do nothing;

insert into names_on_clusters
select d.installed_cluster_id, 'hostname', i.hostname, d.id
from installed_runs i join deployments d on d.id = i.deployment_id
where i.hostname is not null
order by d.created_at, d.id
on conflict do nothing;

-- A hostname that two deployments share already belongs to one of them; the other gets it when it changes to a free one.
update installed_runs i set hostname = null
from deployments d
where d.id = i.deployment_id and i.hostname is not null and not exists (
  select from names_on_clusters n
  where n.cluster_id = d.installed_cluster_id and n.what = 'hostname' and n.name = i.hostname and n.deployment_id = d.id
);

create function names_of_deployment(whose uuid) returns table (cluster_id uuid, what text, name text)
language sql stable set search_path from current as $$
  select d.cluster_id, 'namespace', d.namespace from deployments d where d.id = whose
  union
  select d.cluster_id, 'hostname', d.ingress_name from deployments d where d.id = whose and d.ingress_name is not null
  union
  select d.installed_cluster_id, 'namespace', d.installed_namespace
  from deployments d where d.id = whose and d.installed_cluster_id is not null
  union
  select d.installed_cluster_id, 'hostname', i.hostname
  from deployments d join installed_runs i on i.deployment_id = d.id
  where d.id = whose and d.installed_cluster_id is not null and i.hostname is not null
$$;

-- Raises a unique violation for a name that another deployment holds.
create function keep_names_on_clusters(whose uuid) returns void language plpgsql set search_path from current as $$
declare
  taken text;
begin
  delete from names_on_clusters n
  where n.deployment_id = whose and (n.cluster_id, n.what, n.name) not in (select * from names_of_deployment(whose));

  -- In one order, so that two transactions cannot wait for each other's names. It waits for a transaction that takes the same one.
  insert into names_on_clusters
  select cluster_id, what, name, whose from names_of_deployment(whose) order by what, name
  on conflict do nothing;

  select n.what into taken
  from names_of_deployment(whose) o join names_on_clusters n using (cluster_id, what, name)
  where n.deployment_id <> whose limit 1;
  if found then
    raise unique_violation using message = 'another deployment holds the name', constraint = 'names_on_clusters_' || taken;
  end if;
end $$;

-- A new deployment has no runs.
create function keep_names_of_new_deployments() returns trigger language plpgsql set search_path from current as $$
declare
  taken text;
begin
  insert into names_on_clusters
  select cluster_id, 'namespace', namespace, id from added
  union
  select installed_cluster_id, 'namespace', installed_namespace, id from added where installed_cluster_id is not null
  union
  select cluster_id, 'hostname', ingress_name, id from added where ingress_name is not null
  order by 2, 3
  on conflict do nothing;

  select what into taken
  from (
    select cluster_id, 'namespace' as what, namespace as name, id from added
    union all
    select cluster_id, 'hostname', ingress_name, id from added where ingress_name is not null
  ) wanted
  join names_on_clusters n using (cluster_id, what, name)
  where n.deployment_id <> wanted.id limit 1;
  if found then
    raise unique_violation using message = 'another deployment holds the name', constraint = 'names_on_clusters_' || taken;
  end if;
  return null;
end $$;
create trigger names_kept_of_new after insert on deployments
  referencing new table as added for each statement execute function keep_names_of_new_deployments();

create function keep_names_of_changed_deployment() returns trigger language plpgsql set search_path from current as $$
begin
  perform keep_names_on_clusters(new.id);
  return null;
end $$;
create trigger names_kept_of_changed
  after update of cluster_id, namespace, ingress_name, installed_cluster_id, installed_namespace on deployments
  for each row
  when ((old.cluster_id, old.namespace, old.ingress_name, old.installed_cluster_id, old.installed_namespace)
    is distinct from (new.cluster_id, new.namespace, new.ingress_name, new.installed_cluster_id, new.installed_namespace))
  execute function keep_names_of_changed_deployment();

create function keep_names_of_changed_run() returns trigger language plpgsql set search_path from current as $$
begin
  perform keep_names_on_clusters(coalesce(new.deployment_id, old.deployment_id));
  return null;
end $$;
create trigger names_kept_of_begun after insert on installed_runs
  for each row when (new.hostname is not null) execute function keep_names_of_changed_run();
create trigger names_kept_of_removed after delete on installed_runs
  for each row when (old.hostname is not null) execute function keep_names_of_changed_run();

-- Raised by each change that a request makes, also of props that are never shown, so that the tag of the row changes.
alter table deployment_resources add column revision integer not null default 1;

-- A resource of a global type leaves its name to the other envs.
drop index deployment_resources_name_key;
create unique index deployment_resources_name_key on deployment_resources (type_id, env_id, name) where is_live;

-- The inputs that are sensitive in an env: those that its own deployments registered. `deployment_resource_types.sensitive` is for
-- envs in which nothing is registered.
create table resource_type_sensitive (
  type_id uuid not null references deployment_resource_types (id) on delete cascade,
  env_id uuid not null,
  names text[] not null,

  constraint resource_type_sensitive_pkey primary key (type_id, env_id)
);

-- What was hidden stays hidden where the type is in use. An env that registers it later begins with its own.
insert into resource_type_sensitive (type_id, env_id, names)
select t.id, used.env_id, t.sensitive
from deployment_resource_types t
join (
  select type_id, env_id from deployment_resources
  union
  select r.type_id, d.env_id from resource_type_registrations r join deployments d on d.id = r.deployment_id
) used on used.type_id = t.id;

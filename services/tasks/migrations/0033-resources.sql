-- The resource types of a chart. With lower versions the copy differs from its owner's table, so that all charts come again.
alter table helm_chart_projection add column resource_types jsonb;
update helm_chart_projection set version = version - 1;

create table deployment_resource_types (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  -- Null: a global type.
  env_id uuid,
  deployment_kind_id uuid not null,
  key text not null,
  -- The newest of the registered ones; the last one where no deployment registers the type any more.
  spec jsonb not null,
  -- Inputs that were sensitive in any spec so far: their values are never shown again.
  sensitive text[] not null default '{}',
  bytes integer not null generated always as (octet_length(spec::text)) stored,

  constraint deployment_resource_types_key unique nulls not distinct (deployment_kind_id, key, env_id)
);

create index deployment_resource_types_newest_first on deployment_resource_types (created_at desc, id desc);
create index deployment_resource_types_of_env on deployment_resource_types (env_id, created_at desc, id desc);

-- Which deployments manage resources of which types, and by which spec: that of the chart that runs.
create table resource_type_registrations (
  deployment_id uuid not null references deployments (id) on delete cascade,
  type_id uuid not null references deployment_resource_types (id) on delete cascade,
  spec jsonb not null,
  -- Since when it is this spec.
  registered_at timestamptz not null default clock_timestamp(),

  constraint resource_type_registrations_pkey primary key (deployment_id, type_id)
);

create index resource_type_registrations_of_type on resource_type_registrations (type_id, registered_at desc);

create table deployment_resources (
  id uuid primary key,
  created_at timestamptz(3) not null default now(),
  type_id uuid not null references deployment_resource_types (id) on delete cascade,
  -- That of the managing deployment; kept when that one is gone.
  env_id uuid not null,
  deployment_id uuid references deployments (id) on delete set null,
  name text not null,
  -- False for a deleted one, which is forgotten after a while.
  is_live boolean not null default true,
  props jsonb not null,
  -- Props that are sensitive, sealed as the contents of secrets are.
  sealed_names text[] not null default '{}',
  key_id text,
  wrapped_key bytea,
  sealed_props bytea,
  -- A newer chart made a prop sensitive that lies open: it is to be sealed.
  is_exposed boolean not null default false,
  sync_status text not null,
  sync_reason text,
  -- Whether the managing deployment knows the resource. `maybe`: a call was sent and its outcome is not known.
  known text not null default 'no',
  -- Failed calls in a row.
  attempts integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  -- Names the call in flight, which alone may report. It is over at `due_at`.
  fence bigint,
  -- The call in flight does not carry what is wanted now.
  is_outdated boolean not null default false,
  -- Its last call took long: slow deployments have places of their own, so that they delay one another only.
  is_slow boolean not null default false,
  -- What the end of its managing deployment means for it was done.
  orphaned boolean not null default false,
  -- The request that made the last change.
  origin jsonb,
  changed_at timestamptz not null default clock_timestamp(),
  bytes integer not null generated always as (octet_length(props::text)) stored,

  constraint deployment_resources_status_known check (
    sync_status in ('Creating', 'Updating', 'Deleting', 'Ready', 'Error')
  ),
  constraint deployment_resources_known_known check (known in ('no', 'maybe', 'yes')),
  constraint deployment_resources_sealed_whole check (
    (sealed_props is null) = (key_id is null) and (sealed_props is null) = (wrapped_key is null)
  ),
  constraint deployment_resources_sealed_bounded check (octet_length(sealed_props) <= 1048576)
);

-- Ciphertext does not compress.
alter table deployment_resources alter column sealed_props set storage external;

-- With a predicate, so that the name is no key column of the row, as for secrets. A deleted resource leaves its name.
create unique index deployment_resources_name_key on deployment_resources (type_id, name) where is_live;

create index deployment_resources_newest_first on deployment_resources (created_at desc, id desc) where is_live;
create index deployment_resources_of_env on deployment_resources (env_id, created_at desc, id desc) where is_live;
create index deployment_resources_of_deployment on deployment_resources (deployment_id) where is_live;
create index deployment_resources_of_key on deployment_resources (key_id, id);
create index deployment_resources_due on deployment_resources (due_at)
  where is_live and sync_status in ('Creating', 'Updating', 'Deleting');
create index deployment_resources_in_flight on deployment_resources (deployment_id) where fence is not null;
create index deployment_resources_slow on deployment_resources (deployment_id) where is_slow and is_live;
create index deployment_resources_deleted on deployment_resources (changed_at) where not is_live;
create index deployment_resources_exposed on deployment_resources (id) where is_exposed and is_live;
create index deployment_resources_orphans on deployment_resources (id)
  where is_live and deployment_id is null and not orphaned;

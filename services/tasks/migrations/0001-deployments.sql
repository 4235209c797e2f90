create table deployments (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  name text not null,
  kind_id uuid not null,
  -- That of the cluster, kept here because every read asks for it. It follows when the cluster's changes.
  env_id uuid not null,
  cluster_id uuid not null,
  namespace text not null,
  enabled boolean not null default true,
  -- What the tasks made of it. A deletion under way only covers it, so that a canceled deletion shows it again.
  state text not null default 'Unknown',
  deleting boolean not null default false,
  status text not null generated always as (case when deleting then 'Deleting' else state end) stored,
  reason text,
  description_md text,
  revision_id uuid,
  reported_status jsonb,
  helm_chart_id uuid not null,
  config jsonb not null,
  values_override jsonb,
  -- Where a release may be: from the start of an install until an uninstall is done.
  installed_cluster_id uuid,
  installed_namespace text,

  constraint deployments_name_key unique (cluster_id, kind_id, name),
  constraint deployments_namespace_key unique (cluster_id, namespace),
  constraint deployments_state_known check (
    state in ('Unknown', 'Installing', 'Renaming', 'Upgrading', 'Running', 'Error', 'Uninstalling', 'Uninstalled')
  ),
  constraint deployments_installed_whole check ((installed_cluster_id is null) = (installed_namespace is null))
);

create index deployments_newest_first on deployments (created_at desc, id desc);
create index deployments_of_env on deployments (env_id, created_at desc, id desc);
create index deployments_of_kind on deployments (kind_id);
create index deployments_of_chart on deployments (helm_chart_id);
create index deployments_installed on deployments (installed_cluster_id, installed_namespace);

-- Which inputs point to what, so that "who uses this" is one query.
create table deployment_references (
  deployment_id uuid not null references deployments (id) on delete cascade,
  input text not null,
  collection text not null,
  item_id uuid not null,

  constraint deployment_references_pkey primary key (deployment_id, input, item_id)
);

create index deployment_references_to on deployment_references (collection, item_id);

-- Copies of other services' rows, kept by followProjection; only what is needed here.
create table k8s_clusters_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  env_id uuid,
  name text not null,
  is_ok boolean not null,
  ignore boolean not null,
  last_seen_at timestamptz(3) not null,
  ingress_domain text,
  ingress_class text,
  ingress_tls_secret_name text
);

create table helm_registries_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  kind_id uuid not null
);

create table helm_charts_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  helm_registry_id uuid not null,
  image_tag text not null,
  available boolean not null,
  values_ui jsonb,
  features jsonb,
  error text
);

create table deployment_kinds_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  name text not null
);

create table envs_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  name text not null,
  node_selector jsonb,
  tolerations jsonb
);

-- What the deployments of an env were last told about placement, so that a change is told apart from a repetition.
create table env_placements (
  env_id uuid primary key,
  node_selector jsonb,
  tolerations jsonb
);

-- Key of a chart's archive in the object store, as registry-scan told it. It never changes.
create table chart_archive_digests (
  helm_chart_id uuid primary key,
  digest text not null
);

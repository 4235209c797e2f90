create table k8s_clusters (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  provider_id text not null,
  name text not null,
  region_name text not null,
  env_id uuid,
  ignore boolean not null,

  last_seen_at timestamptz(3) not null default now(),
  is_ok boolean not null default false,
  not_ok_reason text default 'not probed yet',
  -- What the last probe met that got no good answer; it becomes the reason once the cluster is silent for too long.
  last_failure text,
  -- last_seen_at as the followers know it: it moves with every probe and is told less often.
  told_seen_at timestamptz(3) not null default now(),

  ingress_domain text,
  ingress_class text,
  ingress_tls_secret_name text,
  metrics_url text,
  metrics_datasource_name text,

  constraint k8s_clusters_provider_id_key unique (provider_id),
  constraint k8s_clusters_ingress_domain_key unique (ingress_domain),
  constraint k8s_clusters_not_ok_has_reason check (is_ok = (not_ok_reason is null))
);

create index k8s_clusters_env_id on k8s_clusters (env_id);

create table k8s_resources (
  id uuid primary key,
  last_updated_at timestamptz(3) not null default now(),
  cluster_id uuid not null,
  deployment_id uuid not null,
  kind text not null,
  api_version text not null,
  name text not null,
  status_color text[] not null,
  metadata jsonb not null,

  uid text not null,
  namespace text not null,
  -- Of all that is shown: a row is written only when it differs.
  fingerprint text not null,

  constraint k8s_resources_uid_key unique (cluster_id, uid),
  constraint k8s_resources_cluster_id_fkey foreign key (cluster_id) references k8s_clusters (id) on delete cascade
);

create index k8s_resources_newest on k8s_resources (last_updated_at desc, id desc);
create index k8s_resources_deployment on k8s_resources (deployment_id, last_updated_at desc);

-- Where each deployment runs, kept by the projection: which namespaces are to hold service-creds.
create table deployment_projection (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  env_id uuid,
  cluster_id uuid not null,
  namespace text not null,
  enabled boolean not null
);

create index deployment_projection_cluster on deployment_projection (cluster_id) where enabled and not deleted;

-- What was last written into the namespace of a deployment, without the token: after a restart it shows whether the
-- Secret was changed since, and when its turn comes.
create table service_credentials (
  deployment_id uuid primary key,
  cluster_id uuid not null,
  namespace text not null,
  digest text not null,
  issued_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  refresh_at timestamptz(3) not null
);

create index service_credentials_cluster on service_credentials (cluster_id);

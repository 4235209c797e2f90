-- Copies of rows that other services own.
create table deployment_kinds_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now()
);

create table deployments_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  name text not null,
  env_id uuid not null,
  enabled boolean not null
);

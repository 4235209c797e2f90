create table env_projection (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  env_id uuid,
  name text not null,
  node_selector jsonb,
  auto_add_new_users boolean not null
);

create table env_arrivals (name text not null);

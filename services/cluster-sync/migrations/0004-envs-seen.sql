-- The envs of auth, kept by the projection, so that a deleted env is noticed even if its event was lost.
create table envs_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now()
);

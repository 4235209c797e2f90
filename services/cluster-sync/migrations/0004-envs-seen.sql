-- Which envs auth has, kept by the projection, so that one is noticed whose end was never heard of.
create table envs_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now()
);

-- Every tag that was looked at, also those of images, so that none is read twice.
create table registry_tags (
  domain_name text not null,
  repo_name text not null,
  tag text not null,
  digest text not null,
  is_chart boolean not null,
  -- As of the chart: false where another look may find more.
  settled boolean not null,
  -- When the registry was asked. An answer that is older than what is known says nothing.
  observed_at timestamptz not null,

  constraint registry_tags_pkey primary key (domain_name, repo_name, tag)
);

create table registry_polls (
  domain_name text primary key,
  next_at timestamptz not null,
  failures integer not null default 0
);

-- Projection of the deployments of `tasks`: which charts are in use.
create table deployments_seen (
  id uuid primary key,
  version bigint not null,
  deleted boolean not null,
  applied_at timestamptz(3) not null default now(),
  helm_chart_id uuid not null
);

create index deployments_seen_of_chart on deployments_seen (helm_chart_id) where not deleted;

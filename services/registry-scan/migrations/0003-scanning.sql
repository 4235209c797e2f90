-- Every tag that was looked at, also those of images, so that none is read twice.
create table registry_tags (
  domain_name text not null,
  repo_name text not null,
  tag text not null,
  digest text not null,
  is_chart boolean not null,
  -- When the registry was asked. An answer that is older than what is known says nothing.
  observed_at timestamptz not null,

  constraint registry_tags_pkey primary key (domain_name, repo_name, tag)
);

create table registry_polls (
  domain_name text primary key,
  -- One replica polls a registry at a time; two would do no harm, only double the work.
  holder uuid,
  leased_until timestamptz not null default '-infinity',
  next_at timestamptz not null default '-infinity',
  failures integer not null default 0
);

-- Projection of the deployments of `tasks`: which charts are in use.
create table deployment_charts (
  deployment_id uuid primary key,
  helm_chart_id uuid not null,
  version bigint not null,
  deleted boolean not null
);

create index deployment_charts_in_use on deployment_charts (helm_chart_id) where not deleted;

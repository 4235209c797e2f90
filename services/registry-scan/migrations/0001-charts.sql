create table deployment_kinds (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  name text not null,

  constraint deployment_kinds_name_key unique (name)
);

create index deployment_kinds_newest_first on deployment_kinds (created_at desc, id desc);

create table helm_registries (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  domain_name text not null,
  repo_name text not null,
  kind_id uuid not null references deployment_kinds (id),
  available boolean not null default true,
  fa_icon text not null default 'question',
  provider text not null,

  constraint helm_registries_repository_key unique (domain_name, repo_name),
  constraint helm_registries_provider_known check (provider in ('Ecr', 'Oci', 'HelmRepo'))
);

create index helm_registries_newest_first on helm_registries (created_at desc, id desc);
create index helm_registries_of_kind on helm_registries (kind_id);

create table helm_charts (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  helm_registry_id uuid not null references helm_registries (id),
  image_digest text not null,
  image_tag text not null,
  available boolean not null default true,
  values_ui jsonb,
  actions_schema jsonb,
  features jsonb,
  resource_types jsonb,
  error text,
  -- No foreign key: a deleted format leaves its charts when they are parsed again, with the event that tells so.
  tag_format_id uuid,
  parsed_version text,
  parsed_revision text,
  parsed_branch text,
  parsed_commit text,

  -- What the tag is parsed with besides the formats: of Chart.yaml, null where it could not be read.
  metadata jsonb,
  -- The packaged chart: its digest is the key in the object store.
  archive_digest text not null,
  -- False where the archive could not be had or not be read in time, so that another look may find more.
  settled boolean not null,
  read_at timestamptz(3) not null default now(),
  -- Which state of the tag formats the parsed_* fields come from.
  formats_revision bigint not null,

  constraint helm_charts_tag_key unique (helm_registry_id, image_digest, image_tag)
);

create index helm_charts_newest_first on helm_charts (created_at desc, id desc);
create index helm_charts_of_registry on helm_charts (helm_registry_id, created_at desc, id desc);
create index helm_charts_of_tag on helm_charts (helm_registry_id, image_tag);
create index helm_charts_of_branch on helm_charts (parsed_branch, created_at desc, id desc);
create index helm_charts_of_digest on helm_charts (image_digest) where settled;
create index helm_charts_to_parse on helm_charts (formats_revision);

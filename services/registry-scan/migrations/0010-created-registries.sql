-- `created`: by a site admin, beside the registries of the configuration.
alter table helm_registries
  add column source text not null default 'configured',
  add constraint helm_registries_source_known check (source in ('configured', 'created'));

create table created_registries (
  helm_registry_id uuid primary key references helm_registries (id) on delete cascade,
  settings jsonb not null,
  -- User and password, sealed under the key of the service; null if there are none.
  sealed_credentials bytea
);

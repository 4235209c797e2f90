create sequence outbox_version;

-- One row per subject: the last state of each row that others follow. It is its own compaction, and the digest is a query over it.
create table outbox (
  resource text not null,
  id uuid not null,
  version bigint not null,
  env_id uuid,
  operation text not null,
  row jsonb not null,
  traceparent text,
  changed_at timestamptz(3) not null default now(),
  -- null: nobody has seen this row yet. 0: published once, to be published again.
  published_version bigint,

  constraint outbox_pkey primary key (resource, id),
  constraint outbox_operation_known check (operation in ('INSERT', 'UPDATE', 'DELETE'))
);

create index outbox_unpublished on outbox (version) where published_version is distinct from version;
create index outbox_tombstones on outbox (changed_at) where operation = 'DELETE';

-- What the relay last knew of the stream; another one, or a shorter one, has lost what was published.
create table outbox_stream (
  only_row boolean primary key default true,
  created text not null,
  last_seq bigint not null,

  constraint outbox_stream_one_row check (only_row)
);

create table secrets (
  id uuid primary key,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  env_id uuid not null,
  collection text not null,
  name text not null,
  -- The key from the configuration under which the data key of this row is wrapped.
  key_id text not null,
  wrapped_key bytea not null,
  sealed_contents bytea not null,

  -- 256 KiB with nonce and tag.
  constraint secrets_contents_bounded check (octet_length(sealed_contents) <= 262172)
);

-- Ciphertext does not compress.
alter table secrets alter column sealed_contents set storage external;

-- With a predicate, so that the name is no key column of the row: a rename then takes no lock that conflicts with the
-- `for key share` of a deployment that refers to the row. Else a rename and a change of that deployment deadlock.
create unique index secrets_name_key on secrets (env_id, collection, name) where env_id is not null;

create index secrets_newest_first on secrets (created_at desc, id desc);
create index secrets_of_env on secrets (env_id, created_at desc, id desc);
create index secrets_of_key on secrets (key_id, id);

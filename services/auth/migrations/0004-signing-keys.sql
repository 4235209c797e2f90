create table signing_keys (
  kid text primary key,
  created_at timestamptz(3) not null default now(),
  -- A key is published at once but signs only from this time, when every replica and service knows it.
  signs_from timestamptz(3) not null,
  public_jwk jsonb not null,
  -- AES-256-GCM under a key from the configuration, bound to the kid: the database alone does not reveal it.
  sealed_private_jwk bytea not null
);

create table signing_keys (
  kid text primary key,
  created_at timestamptz(3) not null default now(),
  -- Published at once, signed with from then on: every replica and every service knows a key before it meets it.
  signs_from timestamptz(3) not null,
  public_jwk jsonb not null,
  -- AES-256-GCM under a key from the configuration, bound to the kid: useless to who only reads the database.
  sealed_private_jwk bytea not null
);

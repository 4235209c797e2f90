create table login_attempts (
  -- Only the hash: who reads this table cannot finish somebody else's login.
  state_hash bytea primary key,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- Nonce and PKCE verifier, under the same key as the signing keys.
  sealed_secrets bytea not null,
  -- base64url(SHA-256(verifier)) of the browser that started it; null where the client cannot bind itself.
  challenge text
);

create index login_attempts_expiry on login_attempts (expires_at);

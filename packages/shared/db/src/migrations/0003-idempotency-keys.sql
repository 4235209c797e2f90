-- What was answered to requests with an Idempotency-Key, for 24 hours.
create table idempotency_keys (
  identity text not null,
  key text not null,
  -- Keyed: a body may hold a secret.
  request_hash bytea not null,
  answer jsonb,
  -- Instead of an answer that held a new token, which is shown once and never kept.
  token_id uuid,
  created_at timestamptz(3) not null default now(),

  constraint idempotency_keys_pkey primary key (identity, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);

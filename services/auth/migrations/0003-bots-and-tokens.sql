create table bots (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  display_name text not null,
  is_active boolean not null default true
);

create index bots_newest_first on bots (created_at desc, id desc);

-- A revoked token keeps its row: its secret is then told apart from an unknown one.
create table user_tokens (
  id uuid primary key,
  created_at timestamptz(3) not null default now(),
  user_id uuid not null references users (id),
  name text,
  secret_hash bytea not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),

  constraint user_tokens_hash_is_sha256 check (length(secret_hash) = 32)
);

create index user_tokens_newest_first on user_tokens (user_id, created_at desc, id desc) where revoked_at is null;

create table bot_tokens (
  id uuid primary key,
  created_at timestamptz(3) not null default now(),
  -- No foreign key: the row outlives a deleted bot.
  bot_id uuid not null,
  created_by_user_id uuid not null references users (id),
  name text,
  secret_hash bytea not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),

  constraint bot_tokens_hash_is_sha256 check (length(secret_hash) = 32)
);

create index bot_tokens_newest_first on bot_tokens (bot_id, created_at desc, id desc) where revoked_at is null;

create table boats (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default now(),
  name text not null,
  env_id uuid,
  weight bigint,

  constraint boats_name_key unique (name),
  constraint boats_weight_positive check (weight > 0)
);

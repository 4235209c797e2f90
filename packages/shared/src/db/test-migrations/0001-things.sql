create table things (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  name text not null,
  env_id uuid,

  constraint things_name_key unique (name)
);

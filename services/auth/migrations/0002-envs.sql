create table envs (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  name text not null,
  node_selector jsonb,
  tolerations jsonb,
  auto_add_new_users boolean not null
);

create unique index envs_name_key on envs (lower(name));
create index envs_newest_first on envs (created_at desc, id desc);
create index envs_for_new_users on envs (id) where auto_add_new_users;

create table env_user_permissions (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  env_id uuid not null references envs (id),
  user_id uuid not null references users (id),
  role text not null,

  -- Authentication reads the roles of one user on every request: the user comes first.
  constraint env_user_permissions_member_key unique (user_id, env_id),
  constraint env_user_permissions_role_known check (role in ('Admin', 'User'))
);

create index env_user_permissions_newest_first on env_user_permissions (env_id, created_at desc, id desc);

create table deployment_permissions (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  env_id uuid not null references envs (id),
  user_id uuid not null references users (id),
  -- A deployment kind, owned by registry-scan: no foreign key across services.
  kind_id uuid not null,
  role text not null,

  constraint deployment_permissions_holder_key unique (user_id, env_id, kind_id),
  constraint deployment_permissions_role_known check (role in ('Owner', 'Maintainer'))
);

create index deployment_permissions_newest_first on deployment_permissions (env_id, created_at desc, id desc);

create index users_by_display_name on users (display_name, id);
create index users_by_is_admin on users (is_admin, id);
create index users_by_is_active on users (is_active, id);

create index bots_by_display_name on bots (display_name, id);
create index bots_by_is_active on bots (is_active, id);

create index envs_by_name on envs (name, id);

create index env_user_permissions_of_all_envs on env_user_permissions (created_at desc, id desc);
create index env_user_permissions_by_role on env_user_permissions (role, id);
create index env_user_permissions_of_env_by_role on env_user_permissions (env_id, role, id);

create index deployment_permissions_of_all_envs on deployment_permissions (created_at desc, id desc);
create index deployment_permissions_by_role on deployment_permissions (role, id);
create index deployment_permissions_of_env_by_role on deployment_permissions (env_id, role, id);

create index user_tokens_of_all_users on user_tokens (created_at desc, id desc) where revoked_at is null;
create index user_tokens_by_name on user_tokens (name, id) where revoked_at is null;
create index user_tokens_by_expires_at on user_tokens (expires_at, id) where revoked_at is null;
create index user_tokens_by_last_used_at on user_tokens (last_used_at, id) where revoked_at is null;

create index bot_tokens_of_all_bots on bot_tokens (created_at desc, id desc) where revoked_at is null;
create index bot_tokens_of_creator on bot_tokens (created_by_user_id, created_at desc, id desc) where revoked_at is null;
create index bot_tokens_by_name on bot_tokens (name, id) where revoked_at is null;
create index bot_tokens_by_expires_at on bot_tokens (expires_at, id) where revoked_at is null;
create index bot_tokens_by_last_used_at on bot_tokens (last_used_at, id) where revoked_at is null;
